"""The statements of the parity ledger, one module for each chapter."""
