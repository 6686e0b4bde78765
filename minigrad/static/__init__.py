# Generated from chapter 22 (book/ch22-static.ipynb): edit the chapter, not this.
"""Define, then run: graphs as TensorFlow 1 had them, over the rules of this book."""

from minigrad.static.control import cond, while_loop
from minigrad.static.drawing import draw
from minigrad.static.files import from_json, to_json
from minigrad.static.gradients import gradients
from minigrad.static.graph import Graph, Node, get_default_graph, name_scope
from minigrad.static.graph import cast, constant, make, mean, placeholder
from minigrad.static.graph import gelu, log_softmax, relu, sigmoid, softmax
from minigrad.static.passes import fold, fuse, merge, optimise, prune, simplify
from minigrad.static.plan import Plan, PlannedSession
from minigrad.static.session import Session
from minigrad.static.variables import Variable, assign, group
from minigrad.static.variables import global_variables_initializer
