package dev.sluice.engine.rfc;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.choice.CompileOptions;
import dev.sluice.engine.choice.Compiler;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The kernels' memory for the classes of a look-up's steps takes every tree that there is. */
class RfcStepsTest {
    @Test
    void aTreeOverAllBitsOfAsManyWordsAsFitFitsTheKernel() {
        List<Rule> rules = new ArrayList<>();
        for (int r = 0; r < 3; r++) {
            Match.Builder match = new Match.Builder();
            for (int n = 1; n <= HeaderLayout.MOST_WORDS; n++) {
                match.word(HeaderWord.COUNT - n, r * 0x10001, -1);
            }
            rules.add(new Rule(r, 1, match.build(), "drop", r + 1));
        }
        RuleSet set = RuleSet.of("all", 1, RuleSet.DROP, rules);
        Image image =
                new RfcAlgorithm().compile(set, new Compiler(CompileOptions.DEFAULTS).context());
        int steps = image.words()[RfcLayout.COUNT_AT];
        assertTrue(
                steps > HeaderLayout.MOST_WORDS && steps <= RfcLayout.MOST_STEPS,
                () -> steps + " steps of at most " + RfcLayout.MOST_STEPS);
    }
}
