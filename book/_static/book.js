/* Three small services that a style sheet cannot give. The book reads well without them. */

// A page opened from disk may not fetch other pages, which the search does to quote them:
// from disk, list the titles of what was found, without the quotations.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

// On paper nobody can unfold a solution: print them all, and fold them again afterwards.
const folded = () => document.querySelectorAll("details.solution:not([open])");
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...folded()];
  opened.forEach((solution) => (solution.open = true));
});
addEventListener("afterprint", () => {
  opened.forEach((solution) => (solution.open = false));
});

// A formula or table that scrolls sideways must be reachable by keyboard, and one that
// fits should not be a stop on the way. (The theme does the same for code.)
const scrollers = ".math-block, .cell_output, .pst-scrollable-table-container";
function markScrollers() {
  document.querySelectorAll(`.bd-article :is(${scrollers})`).forEach((box) => {
    if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
}
addEventListener("load", markScrollers);
addEventListener("resize", markScrollers);
document.addEventListener("toggle", markScrollers, true);
