package dev.sluice.engine.toy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.HostKernels;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.testing.TestSeed;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An algorithm is added by its package, its look-up, and one line: no other file names it. */
class ToyAlgorithmTest {
    private static final Form TOY = Form.plain(ToyAlgorithm.LABEL);

    @Test
    void theRegistryFindsIt() {
        Algorithm found = Algorithm.of(ToyAlgorithm.LABEL);
        assertInstanceOf(ToyAlgorithm.class, found);
        assertEquals(found, Algorithm.ofCode(found.code()));
        assertTrue(Algorithm.labels().contains(ToyAlgorithm.LABEL));
        assertTrue(Form.choices().contains(found.choice()));
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void itServesOnTheCpuAlsoWhileRulesChange(Shape shape) {
        RuleStory story = RuleStory.random(TestSeed.of(1), shape, 200, 10, 200);
        SameVerdicts.assertServed(story, TOY.compiled());
        SameVerdicts.assertServed(story, TOY.changing());
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void itsLookUpForTheGpuServesInTheHostBuild(Shape shape) throws Exception {
        List<Subject> kernels = TOY.kernels(HostKernels.shared());
        assertEquals(1, kernels.size());
        RuleStory story = RuleStory.random(TestSeed.of(2), shape, 200, 2, 200);
        SameVerdicts.assertServed(story, kernels.get(0));
    }
}
