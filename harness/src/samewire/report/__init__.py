"""The report of a race: one HTML file, CSV tables and a short table for the terminal, all made from `run.json`."""

from samewire.report.model import Race, ReportError, load
from samewire.report.page import write
from samewire.report.terminal import print_summary

__all__ = ["Race", "ReportError", "load", "print_summary", "write"]
