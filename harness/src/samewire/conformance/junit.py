"""The report as JUnit's XML, which services of continuous integration read: a suite for each layer."""

import re

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from samewire.conformance.summary import FAILED, KNOWN, SKIPPED, Result, Summary

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold."""


def render(summary: Summary) -> str:
    """The text of the file."""
    report = JUnitXml("samewire")
    for layer in summary.layers:
        suite = TestSuite(layer)
        suite.timestamp = summary.at
        for service, version in summary.contracts.items():
            suite.add_property(f"contract of {service}", version)
        if summary.narrowed:
            suite.add_property("a part of the suite", " ".join(summary.narrowed))
        suite.add_testcases([_case(result) for result in summary.results if result.layer == layer])
        report.add_testsuite(suite)
    if summary.problems:
        suite = TestSuite("processes")
        for line in summary.problems:
            case = TestCase(_held(line.partition(":")[0]), "processes")
            case.result = [Error(_held(line))]
            suite.add_testcase(case)
        report.add_testsuite(suite)
    report.update_statistics()
    return report.tostring().decode()


def _case(result: Result) -> TestCase:
    case = TestCase(_held(result.test), ", ".join(result.servers), round(result.seconds, 3))
    first = _held(result.problem.strip().partition("\n")[0])
    if result.outcome == FAILED:
        failure = Failure(first)
        failure.text = _held(result.problem)
        case.result = [failure]
    elif result.outcome in (SKIPPED, KNOWN):
        case.result = [Skipped(first)]
    return case


def _held(text: str) -> str:
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)
