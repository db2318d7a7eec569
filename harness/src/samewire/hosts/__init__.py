"""Races on several machines: server, database and load generators each on hosts of their own.

A host has a checkout that is set up. This machine speaks to it through execnet, over SSH, and runs the harness's own
sampler and load generator there (`remote`). No host's clock is compared with another's: what happens on a host is
measured by that host.
"""
