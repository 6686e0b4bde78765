# Every target is one call of tools/do.py, which needs nothing but Python 3.11 or later.
# Without make (Windows): python tools/do.py book, python tools/do.py test, …
PYTHON ?= python3
DO := $(PYTHON) tools/do.py

.DEFAULT_GOAL := help
.PHONY: help book lab workbook grade test tangle normalize execute serve bench oracle pdf lite lint clean

help:      ; @$(DO) --help
book:      ; @$(DO) book
lab:       ; @$(DO) lab $(if $(WORKBOOK),workbook)
workbook:  ; @$(DO) workbook $(ARGS)
grade:     ; @$(DO) grade $(if $(CHAPTER),--chapter $(CHAPTER)) $(if $(MINE),--mine) $(ARGS)
test:      ; @$(DO) test
tangle:    ; @$(DO) tangle
normalize: ; @$(DO) normalize
execute:   ; @$(DO) execute $(if $(CHAPTER),--chapter $(CHAPTER),--all)
serve:     ; @$(DO) serve
bench:     ; @$(DO) bench $(if $(PEERS),--peers) $(ARGS)
oracle:    ; @$(DO) oracle
pdf:       ; @$(DO) pdf $(ARGS)
lite:      ; @$(DO) lite $(ARGS)
lint:      ; @$(DO) lint
clean:     ; @$(DO) clean
