"""The options and the result of a reference."""

import json
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Options:
    jobs: int
    batch: int
    connections: int
    seconds: float


@dataclass
class Result:
    """One figure. `value` is in `unit`; `seconds` is the measured time of `jobs`."""

    name: str
    value: float
    unit: str
    jobs: int
    seconds: float
    detail: dict = field(default_factory=dict)

    def line(self) -> str:
        rounded = asdict(self) | {"value": round(self.value, 1), "seconds": round(self.seconds, 4)}
        return json.dumps(rounded)
