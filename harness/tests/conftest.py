"""What holds for all unit tests of the harness."""

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is; nothing is judged by that.
settings.register_profile("samewire", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("samewire")
