"""What the checks of the simulators of flows share: times as seconds, the median, the mean."""
import datetime
import math

ZERO = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def seconds(text):
    """A time as seconds of the window; infinite for none."""
    return (datetime.datetime.fromisoformat(text) - ZERO).total_seconds() if text else math.inf


def middle(values):
    """The median, nan of nothing."""
    values = sorted(values)
    return values[len(values) // 2] if values else math.nan


def mean(values):
    """The mean, nan of nothing."""
    return sum(values) / len(values) if values else math.nan
