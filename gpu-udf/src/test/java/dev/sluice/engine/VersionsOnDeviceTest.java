package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.bases.RenewalBounds;
import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules that change at the engine's door while a device, on the heap, looks batches up. */
@Timeout(120)
class VersionsOnDeviceTest {
    /** A new base after every few changes. */
    private static final RenewalBounds OFTEN = new RenewalBounds(40, 1_000_000, 1, 10);

    private final FakeDriver fake = new FakeDriver(1);

    @BeforeEach
    void install() {
        FakeDriver.install(fake);
    }

    @AfterEach
    void uninstall() {
        FakeDriver.uninstall();
    }

    /** What an engine did for a story. */
    private record Done(EngineFigures figures, long renewed) {}

    private static Subject onDevice(String algorithm, String mode, List<Done> done) {
        EngineOptions options =
                EngineOptions.of(Algorithm.of(algorithm))
                        .withOffload(OffloadPreference.parse(mode).decided());
        return EngineSubject.of(
                "device-",
                options,
                OFTEN,
                engine -> done.add(new Done(engine.figures(), engine.renewals().done())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "merged-tuple copy",
                "forest mapped",
                "rfc persistent,mapped",
                "hash-tree mapped,gather=2",
                "linear copy,streams=1"
            })
    void batchesOfSeveralVersionsAreAnsweredByTheirOwnWhileBasesAreRenewed(String how) {
        String[] parts = how.split(" ");
        ChangingRules changing = new ChangingRules(TestSeed.of(31), Shape.ACCESS_LIST, 60);
        for (int step = 0; step < 120; step++) {
            changing.replace(changing.below(4), changing.below(5));
        }
        List<Done> done = new ArrayList<>();
        SameVerdicts.assertServed(
                changing.story("versions-on-device", 400), onDevice(parts[0], parts[1], done));
        EngineFigures figures = done.get(0).figures;
        assertTrue(done.get(0).renewed > 0, "no base was renewed");
        assertTrue(figures.deviceBatches() > 0, "the device answered nothing");
        assertEquals(0, figures.fallBacks());
        assertEquals(0, figures.cpuBatches());
        fake.awaitNothingHeld();
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreAnsweredByAnEnginesDevice(Path file) throws Exception {
        RuleStory story = StoryFile.read(file);
        List<Done> done = new ArrayList<>();
        for (String algorithm : List.of("merged-tuple", "hash-tree")) {
            SameVerdicts.assertServed(story, onDevice(algorithm, "copy", done));
        }
        boolean asked = done.stream().allMatch(one -> one.figures.deviceBatches() > 0);
        assertTrue(asked || story.headers().isEmpty(), "nothing was asked of the device");
    }
}
