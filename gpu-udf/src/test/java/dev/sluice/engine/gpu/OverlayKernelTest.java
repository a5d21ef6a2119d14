package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.ChangingVersions.Version;
import dev.sluice.engine.gpu.launch.ChangesLayout;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.HostKernels;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The kernel that looks up what changed, compiled for the CPU, against linear search. */
class OverlayKernelTest {
    private static HostKernels program;

    @BeforeAll
    static void compile() throws Exception {
        program = HostKernels.shared();
    }

    /** A compiled base, and the kernel's look-up of what changed since. */
    private static final class Overlay extends ChangingVersionsSession {
        int fromOverlay;

        Overlay(RuleSet rules, HeaderLayout layout) {
            super(rules, layout, "merged-tuple");
        }

        /** Looks up when it is waited for: later words answer for earlier ticks, too. */
        @Override
        protected LookUp submit(Version version, List<int[]> headers) {
            return () -> {
                int[] found = run(versions, version, batch(headers));
                for (int verdict : found) {
                    fromOverlay += verdict >= versions.base().size() ? 1 : 0;
                }
                return versions.ids(found);
            };
        }
    }

    /** Every session that is opened is put into a list. */
    private static Subject overlay(List<Overlay> opened) {
        return Subject.ofSessions(KernelCatalog.OVERLAY, opened, Overlay::new);
    }

    @ParameterizedTest
    @CsvSource({"1, IPV4_5_TUPLE", "2, OPENFLOW", "3, PREFIXES", "4, MIXED"})
    void everyTickIsAnsweredAsByLinearSearch(long seed, Shape shape) {
        ChangingRules changing = new ChangingRules(TestSeed.of(seed), shape, 200);
        for (int step = 0; step < 12; step++) {
            changing.replace(changing.below(25), changing.below(60));
        }
        List<Overlay> opened = new ArrayList<>();
        SameVerdicts.assertServed(changing.story("overlay", 300), overlay(opened));
        int found = opened.get(0).fromOverlay;
        assertTrue(found > 300, () -> "few headers met a rule that came: " + found);
    }

    @Test
    void noHeadersAreNoVerdicts() {
        ChangingRules changing = new ChangingRules(TestSeed.of(5), Shape.MIXED, 20);
        changing.replace(3, 5);
        SameVerdicts.assertServed(changing.story("overlay", 0), overlay(new ArrayList<>()));
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreAnsweredByTheKernel(Path file) throws Exception {
        RuleStory story = StoryFile.read(file);
        SameVerdicts.assertServed(story, overlay(new ArrayList<>()));
    }

    private static int[] run(ChangingVersions versions, Version version, HeaderBatch batch)
            throws Exception {
        VerdictBatch base = new VerdictBatch(batch.size());
        versions.cpu().classify(batch, base);
        int[] parameters = new int[ChangesLayout.WORDS];
        parameters[ChangesLayout.TICK] = version.tick();
        parameters[ChangesLayout.DIRECTORY] = version.directory();
        parameters[ChangesLayout.BASE_RULES] = versions.base().size();
        int[] inserted = Arrays.copyOf(versions.inserted().words(), versions.inserted().size());
        List<int[]> blocks =
                List.of(
                        versions.all(),
                        inserted,
                        versions.removed().words(),
                        parameters,
                        base.rules(),
                        batch.words());
        int words = blocks.stream().mapToInt(block -> 1 + block.length).sum();
        ByteBuffer in = HostKernels.words(words);
        IntBuffer to = in.asIntBuffer();
        blocks.forEach(block -> to.put(block.length).put(block));
        int[] verdicts = new int[batch.size()];
        program.run(in, "overlay", KernelCatalog.OVERLAY).get(verdicts);
        return verdicts;
    }
}
