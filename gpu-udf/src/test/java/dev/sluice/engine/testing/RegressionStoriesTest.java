package dev.sluice.engine.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.sluice.engine.lookup.AlgorithmChoice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Stories that are kept: bugs of the past and corners that random rules seldom meet. Every
 * algorithm in every form answers them. {@code ./sluice test --story FILE} runs another file in
 * their place.
 */
@Tag("story")
class RegressionStoriesTest {
    @Test
    void manyStoriesAreKept() throws IOException {
        assumeFalse(StoryFile.isNamed(), "one is named");
        List<Path> all = StoryFile.kept();
        assertTrue(all.size() >= 10, () -> "stories are missing: " + all);
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void everyAlgorithmAnswers(Path file) throws Exception {
        RuleStory story = StoryFile.read(file);
        story.assertStated();
        List<String> served = new ArrayList<>();
        for (AlgorithmChoice algorithm : Form.choices()) {
            for (Form form : Form.all(algorithm)) {
                Optional<String> refusal = SameVerdicts.assertSameVerdicts(story, form.compiled());
                Refusals.assertAllowed(form, story, refusal);
                if (refusal.isEmpty()) {
                    served.add(form.label());
                    SameVerdicts.assertServed(story, form.changing());
                }
            }
        }
        if (served.size() < Form.choices().size() / 2) {
            fail(story + " was served by few: " + served);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void everyKernelAnswers(Path file) throws Exception {
        HostKernels program = HostKernels.shared();
        RuleStory story = StoryFile.read(file);
        int served = 0;
        for (AlgorithmChoice algorithm : Form.choices()) {
            for (Subject kernel : Form.plain(algorithm).kernels(program)) {
                served += SameVerdicts.assertSameVerdicts(story, kernel).isEmpty() ? 1 : 0;
            }
        }
        assertTrue(served >= 8, served + " kernels served " + story);
    }
}
