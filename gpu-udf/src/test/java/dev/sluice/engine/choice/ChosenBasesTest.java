package dev.sluice.engine.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bases by the choice of {@code auto}, which gives way where it cannot serve later rules. */
class ChosenBasesTest {
    /** One choice for all versions of a story; what was chosen for each is put into a list. */
    private static Subject chosen(List<Algorithm> algorithms) {
        String label = "chosen-base";
        return Subject.ofSessions(
                label,
                (rules, layout) -> {
                    CompileOptions options = CompileOptions.DEFAULTS;
                    Compiled first =
                            new Compiler(
                                            CompileOptions.DEFAULTS.withAlgorithm(
                                                    Algorithm.of("tuple").choice()))
                                    .compileExplained(rules, null);
                    ChosenBases bases =
                            new ChosenBases(options, first, 1, null, new Compiler(options));
                    Subject.Build build =
                            version -> {
                                Classifier classifier = bases.compile(version, false).classifier();
                                algorithms.add(Algorithm.ofCode(classifier.image().algorithm()));
                                return Subject.lookUp(classifier);
                            };
                    return Subject.of(label, build).open(rules, layout);
                });
    }

    @Test
    void theChoiceStaysUntilItCannot() {
        ChangingRules changing = new ChangingRules(TestSeed.of(5), Shape.PREFIXES, 300);
        changing.replace(0, 1);
        // Rules of every kind: whatever is chosen now serves them.
        for (int k = 0; k < 4; k++) {
            changing.change(Shape.MIXED);
        }
        // Far fewer: the loop over all of them is chosen.
        changing.replace(changing.ruleSet().size() - 12, 0);
        List<Algorithm> algorithms = new ArrayList<>();
        SameVerdicts.assertServed(changing.story("bases", 300), chosen(algorithms));
        Algorithm first = Algorithm.of("rfc"); // small tables, two addresses
        assertEquals(List.of(first, first), algorithms.subList(0, 2));
        assertEquals(Algorithm.of("linear"), algorithms.get(algorithms.size() - 1));
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreAnsweredByWhatWasChosen(Path file) throws Exception {
        SameVerdicts.assertServed(StoryFile.read(file), chosen(new ArrayList<>()));
    }
}
