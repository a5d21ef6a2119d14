package dev.sluice.lab.inplace;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.hashtree.HashTreeAlgorithm;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmOptions;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.HostKernels;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kernels that look into images that change, compiled for the CPU, give the CPU's answers. */
class MutableImageLookUpTest {
    private static HostKernels program;

    @BeforeAll
    static void compile() throws Exception {
        program = HostKernels.shared();
    }

    private static Stream<Algorithm> inPlaceOnADevice() {
        return Algorithm.all().stream().filter(algorithm -> algorithm.liveKernel().isPresent());
    }

    @ParameterizedTest
    @MethodSource("inPlaceOnADevice")
    void theKernelsGiveTheOraclesAnswers(Algorithm algorithm) {
        ChangingRules changing = new ChangingRules(TestSeed.of(17), Shape.OPENFLOW, 300);
        for (int step = 0; step < 8; step++) {
            changing.replace(changing.below(60), changing.below(60));
        }
        RuleStory story = changing.story("live-kernels", 400);
        SameVerdicts.assertServed(story, kernel(algorithm));
        long found =
                Arrays.stream(story.expected()[8]).filter(id -> id != RuleStory.NO_RULE).count();
        assertTrue(found > 100, "few headers matched: " + found);
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreAnsweredByTheKernels(Path file) throws Exception {
        RuleStory story = StoryFile.read(file);
        inPlaceOnADevice()
                .forEach(algorithm -> SameVerdicts.assertServed(story, kernel(algorithm)));
    }

    /** Rules that change on the CPU, and the kernel's look-up of their image. */
    private static Subject kernel(Algorithm algorithm) {
        CompileContext context =
                CompileContext.of(
                        CompileContext.DEFAULT_BUDGET_BYTES,
                        AlgorithmOptions.DEFAULTS.with(HashTreeAlgorithm.THRESHOLD, 4));
        return new Subject() {
            @Override
            public String label() {
                return KernelCatalog.live(algorithm);
            }

            @Override
            public Session open(RuleSet rules, HeaderLayout layout) {
                InPlaceClassifier live =
                        new InPlaceClassifier(rules, HeaderLayout.complete(), algorithm, context);
                return new Session() {
                    @Override
                    public void apply(RuleDelta delta) {
                        live.apply(delta);
                    }

                    @Override
                    public long[] answers(List<int[]> headers) throws Exception {
                        return ids(live, headers, algorithm);
                    }
                };
            }
        };
    }

    private static long[] ids(InPlaceClassifier live, List<int[]> headers, Algorithm algorithm)
            throws Exception {
        long[] ids = new long[headers.size()];
        try (InPlaceClassifier.Lease lease = live.lease()) {
            IntBuffer slots = run(lease, live.layout(), headers, algorithm);
            for (int i = 0; i < ids.length; i++) {
                int slot = slots.get(i);
                ids[i] = slot < 0 ? RuleStory.NO_RULE : lease.idOf(slot);
            }
        }
        return ids;
    }

    private static IntBuffer run(
            InPlaceClassifier.Lease lease,
            HeaderLayout layout,
            List<int[]> headers,
            Algorithm algorithm)
            throws Exception {
        int[] image = Arrays.copyOf(lease.memory().words(), lease.memory().size());
        ByteBuffer in = HostKernels.words(3 + image.length + layout.size() * headers.size());
        IntBuffer words = in.asIntBuffer();
        words.put(image.length).put(image).put(0).put(headers.size());
        for (int p = 0; p < layout.size(); p++) {
            for (int[] header : headers) {
                words.put(header[layout.word(p)]);
            }
        }
        return program.run(in, algorithm.label(), KernelCatalog.live(algorithm));
    }
}
