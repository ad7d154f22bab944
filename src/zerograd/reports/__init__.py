"""Results in, text out: one module a format, and nothing is written here."""

from zerograd.reports.formats import FORMATS, Report, View, find_report
from zerograd.reports.words import summary

__all__ = ["FORMATS", "Report", "View", "find_report", "summary"]
