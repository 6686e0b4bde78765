"""The digits of Chapter 19: the division that every later result rests on."""

import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits

import minigrad as torch
from minigrad.datasets import Digits


def test_the_two_parts_are_the_file():
    file, parts = load_digits(), (Digits(train=True), Digits(train=False))
    assert [len(part) for part in parts] == [1437, 360]
    together = np.concatenate([part.data.numpy() for part in parts]) * 16
    labels = np.concatenate([part.targets.numpy() for part in parts])

    def in_order(pictures, digits):
        rows = np.column_stack([digits, pictures.reshape(-1, 64)])
        return rows[np.lexsort(rows.T)]

    assert (in_order(together, labels) == in_order(file.images, file.target)).all()


def test_the_division_is_the_one_of_the_seed():
    order = torch.randperm(1797, generator=torch.Generator().manual_seed(19)).tolist()
    file, test = load_digits(), Digits(train=False)
    assert (test.targets.numpy() == file.target[order[1437:]]).all()


def test_an_item_is_a_picture_and_its_digit():
    data = Digits(train=False)
    picture, digit = data[3]
    assert (picture.shape, picture.dtype) == ((8, 8), torch.float32)
    assert (digit.shape, digit.dtype) == ((), torch.int64)
    assert 0 <= picture.min() < picture.max() <= 1
    turned = Digits(train=False, transform=lambda picture: picture.T)
    assert torch.equal(turned[3][0], picture.T)


def test_a_transform_is_applied_in_batches_too():
    data = Digits(train=False, transform=lambda picture: picture.reshape(64) * 2)
    images, digits = next(iter(torch.utils.data.DataLoader(data, 5)))
    assert images.shape == (5, 64)
    assert torch.equal(images, data.data[:5].reshape(5, 64) * 2)
    assert torch.equal(digits, data.targets[:5])


def test_the_global_generator_is_left_alone():
    torch.manual_seed(4)
    before = torch.get_rng_state()
    Digits()
    assert torch.equal(torch.get_rng_state(), before)


def test_without_scikit_learn_there_is_an_import_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(ImportError):
        Digits()
