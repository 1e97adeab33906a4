"""Every way in that reads a value: what nobody can work with is one clear error, exit code 2."""

import pytest
from click.testing import CliRunner

from sim.cli import main

LONG = {"digits": "9" * 5000, "brackets": "[" * 20_000}

WAYS = """
run --set 0.bao_threshold={}
run --set all.attention={}
run --set {}.attention=1
run --rule peeks={}
run --rule plucks={}
run --rule bao={}
run --rule hand_size={}
run --rule hand_size.2={}
run --rule hand_size.{}=3
run --rounds {}
run --games {}
run --seed {}
run --range 0:{}
run --until win_share[0]±{}
run --until win_share[{}]±0.1
run --max-rounds {}
run --max-seconds {}
run --threads {}
run --processes {}
run --players {},balanced
run --deck {}
run --edition {}
run {}
compare --set 0.attention={}
compare --rule peeks={}
compare {}
tournament --set 0.attention={}
tournament --rule peeks={}
tournament --seats {}
tournament {}
sweep --over 0.bao_threshold={}
sweep --over 0.bao_threshold=1,{}
sweep --over 0.bao_threshold={{from={},to=3}}
sweep --over rules.peeks={}
sweep --over rules.hand_size={}
sweep --over deck.macaw={}
sweep --over {}.attention=1
sweep --over players={}
sweep --over deck={}
sweep --over edition={}
sweep --over 0.player={}
sweep {}
trace --round {}
trace --game {}
trace --set 0.attention={}
check {}
bench --seconds {}
bench --players {}
extend {} --rounds 2
extend none --rounds {}
merge {} --out whole
report {}
list rules {}
list players {}
list decks {}
list decks --lang {}
""".strip().splitlines()


@pytest.mark.parametrize("value", LONG.values(), ids=LONG)
@pytest.mark.parametrize("way", WAYS)
def test_what_nobody_can_read_is_one_error(
    way: str, value: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    result = CliRunner().invoke(main, [word.format(value) for word in way.split()])
    told = result.stderr.splitlines()
    assert (result.exit_code, len(told)) == (2, 1), (result.exception, told[:3])
    assert told[0].startswith("Error: ")
    assert len(told[0]) <= 2000
