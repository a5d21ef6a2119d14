package dev.sluice.engine.testing;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.schemas.testing.TestSeed;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A value of an option that refuses everything is found. */
class ServedTest {
    private static final String REFUSAL =
            "algorithm rfc cannot serve this rule set: it has no such tables;"
                    + " choose another algorithm, or auto";

    private final AlgorithmChoice rfc = Algorithm.parse("rfc");
    private final Served served = new Served(rfc);

    private void note(Form form, int rules, Optional<String> refusal) {
        RuleStory story = RuleStory.random(TestSeed.of(1), Shape.PREFIXES, rules, 0, 1);
        served.note(form, Shape.PREFIXES, story, refusal);
    }

    @Test
    void aFormThatServesOnlyFewRulesIsFound() {
        List<Form> forms = Form.all(rfc);
        Form last = forms.get(forms.size() - 1);
        for (Form form : forms.subList(0, forms.size() - 1)) {
            note(form, 300, Optional.empty());
        }
        note(last, 7, Optional.empty());
        note(last, 300, Optional.of(REFUSAL));
        String message =
                assertThrows(AssertionError.class, () -> served.assertAtLeast(1)).getMessage();
        assertTrue(message.contains(last + " served no rule set"), message);
        assertTrue(message.contains(REFUSAL), message);

        note(last, 300, Optional.empty());
        served.assertAtLeast(1);
    }
}
