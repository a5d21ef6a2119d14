package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.HostKernels;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Served;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.testing.TestSeed;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The kernels' look-ups, compiled for the CPU, give the oracle's answers on the images of every
 * algorithm of the registry, in every form. Needs a C++ compiler.
 */
class HostLookUpTest {
    private static final int HEADERS = 300;

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void kernelsGiveTheOraclesAnswers(AlgorithmChoice algorithm) throws Exception {
        agree(algorithm, 1, false);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void kernelsGiveTheOraclesAnswersOnManySeeds(AlgorithmChoice algorithm) throws Exception {
        agree(algorithm, 9, true);
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void noHeadersAreNoVerdicts(AlgorithmChoice algorithm) throws Exception {
        RuleStory story = RuleStory.random(TestSeed.of(3), Served.shapeFor(algorithm), 20, 0, 0);
        for (Subject kernel : Form.plain(algorithm).kernels(HostKernels.shared())) {
            SameVerdicts.assertServed(story, kernel);
        }
    }

    /** The usual run asks forms with an option of their own, and those that measure, once. */
    private static boolean isAsked(Form form, int size, boolean all) {
        return all || size == 300 || form.plain() && !form.choosesByMeasuring();
    }

    private static void agree(AlgorithmChoice algorithm, int seeds, boolean all) throws Exception {
        HostKernels program = HostKernels.shared();
        Assumptions.assumeFalse(
                Form.plain(algorithm).kernels(program).isEmpty(),
                algorithm.label() + " has no kernel");
        Served served = new Served(algorithm);
        for (Shape shape : Shape.values()) {
            for (long seed = 1; seed <= seeds; seed++) {
                for (int size : new int[] {0, 7, 300}) {
                    if (!Form.plain(algorithm).isWorthBuilding(shape, size)) {
                        continue;
                    }
                    RuleStory story =
                            RuleStory.random(
                                    TestSeed.of(seed * 77 + size), shape, size, 0, HEADERS);
                    for (Form form : Form.all(algorithm)) {
                        if (isAsked(form, size, all)) {
                            check(form, shape, story, program, served);
                        }
                    }
                }
            }
        }
        served.assertAtLeast(2 * seeds);
    }

    private static void check(
            Form form, Shape shape, RuleStory story, HostKernels program, Served served) {
        Optional<String> refusal = SameVerdicts.assertSameVerdicts(story, form.compiled());
        if (refusal.isPresent()) {
            served.note(form, shape, story, refusal);
            return;
        }
        int read = 0;
        for (Subject kernel : form.kernels(program)) {
            read += SameVerdicts.assertSameVerdicts(story, kernel).isEmpty() ? 1 : 0;
        }
        assertTrue(read > 0, () -> "no kernel reads what " + form + " compiles of " + story);
        served.note(form, shape, story, refusal);
    }
}
