package dev.sluice.lab.inplace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.driver.GpuException;
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
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernels of H-HashTree's updates, compiled for the CPU, leave what the host's tree is. */
@Timeout(60)
class TreeUpdatesTest {
    private static HostKernels program;

    private final FakeDriver fake = new FakeDriver(1);
    private final FaultInjector driver = new FaultInjector(fake);

    @BeforeAll
    static void compile() throws Exception {
        program = HostKernels.shared();
    }

    /** Words before others, each part after its length. */
    private static ByteBuffer parts(int[] shape, int[]... parts) {
        int words = shape.length + Arrays.stream(parts).mapToInt(p -> 1 + p.length).sum();
        ByteBuffer in = ByteBuffer.allocate(4 * words).order(ByteOrder.nativeOrder());
        for (int[] part : parts) {
            in.putInt(part.length);
            in.asIntBuffer().put(part);
            in.position(in.position() + 4 * part.length);
        }
        in.asIntBuffer().put(shape);
        return in;
    }

    private static void run(
            String kernel, int[] image, int[] rules, int[] side, int stride, int count) {
        int[] used = Arrays.copyOf(rules, stride * count);
        try {
            IntBuffer out =
                    program.run(
                            parts(new int[] {stride, count}, image, used, side), kernel, kernel);
            out.get(image);
            out.get(side);
        } catch (Exception e) {
            throw new IllegalStateException(kernel, e);
        }
    }

    private static InPlaceClassifier live(RuleSet rules) {
        return new InPlaceClassifier(
                rules,
                HeaderLayout.complete(),
                Algorithm.of("hash-tree"),
                CompileContext.of(
                        CompileContext.DEFAULT_BUDGET_BYTES,
                        AlgorithmOptions.DEFAULTS.with(HashTreeAlgorithm.THRESHOLD, 4)));
    }

    private static void assertSame(GpuDevice device, DeviceMirror image) {
        int size = image.source().size();
        int[] there = new int[size];
        device.device().download(there, 0, size, image.image().address());
        assertArrayEquals(Arrays.copyOf(image.source().words(), size), there, "the device's tree");
    }

    /** Trees on a device that follow the host's, compared after each update. */
    private final class Followed implements Subject.Session {
        private final GpuDevice device = new GpuDevice(driver, 0, 2, 256, HeaderWord.COUNT);
        private final Map<Object, DeviceMirror> images = new HashMap<>();
        private final InPlaceClassifier live;
        int byLines;
        long repeated;

        Followed(RuleSet rules) {
            live = live(rules);
        }

        @Override
        public void apply(RuleDelta delta) {
            live.apply(delta);
            try (InPlaceClassifier.Lease lease = live.lease()) {
                DeviceMirror image =
                        images.computeIfAbsent(
                                lease.memory(),
                                arena ->
                                        new DeviceMirror(
                                                device.memory(),
                                                lease.memory(),
                                                live.layout(),
                                                9,
                                                lease.log()));
                long lines = image.patchedLines() + image.wholes();
                image.update(false);
                byLines += image.patchedLines() + image.wholes() > lines ? 1 : 0;
                assertSame(device, image);
            }
        }

        @Override
        public long[] answers(List<int[]> headers) {
            return InPlaceSubject.answers(live, headers);
        }

        @Override
        public void close() {
            repeated = images.values().stream().mapToLong(DeviceMirror::repeatedRules).sum();
            images.values().forEach(DeviceMirror::close);
            device.close();
        }
    }

    /** Holds a story against the oracle, and the device's trees against the host's. */
    private Followed assertFollowed(RuleStory story) {
        fake.tree = TreeUpdatesTest::run;
        List<Followed> opened = new ArrayList<>();
        SameVerdicts.assertServed(
                story,
                new Subject() {
                    @Override
                    public String label() {
                        return "hash-tree-followed";
                    }

                    @Override
                    public Session open(RuleSet rules, HeaderLayout layout) {
                        opened.add(new Followed(rules));
                        return opened.get(opened.size() - 1);
                    }
                });
        assertEquals(0, fake.blocks(), "memory is left");
        return opened.get(0);
    }

    @Test
    void theDevicesTreeIsTheHostsWordForWord() {
        theDevicesTreeIsTheHostsWordForWord(1);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(longs = {2, 3})
    void theDevicesTreeIsTheHostsWordForWord(long seed) {
        ChangingRules changing = new ChangingRules(TestSeed.of(seed), Shape.OPENFLOW, 400);
        for (int step = 0; step < 40; step++) {
            int change = step == 30 ? 150 : 12; // more than a launch takes, once
            changing.replace(changing.below(change), changing.below(change));
        }
        Followed done = assertFollowed(changing.story("tree-updates", 40));
        assertTrue(done.repeated > 200, () -> done.repeated + " rules by kernels");
        assertTrue(done.byLines < 20, () -> done.byLines + " steps by lines");
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesLeaveTheHostsTree(Path file) throws Exception {
        assertFollowed(StoryFile.read(file));
    }

    @Test
    void aStepThatFailsIsMendedByLines() throws Exception {
        ChangingRules changing = new ChangingRules(TestSeed.of(1), Shape.OPENFLOW, 200);
        RuleStory story = changing.replace(3, 3).replace(3, 3).story("tree-fault", 20);
        SameVerdicts.keepIfFails(story, "hash-tree-fault", () -> stepThatFails(story));
        assertEquals(0, fake.blocks(), "memory is left");
    }

    private void stepThatFails(RuleStory story) {
        fake.tree = TreeUpdatesTest::run;
        InPlaceClassifier live = live(story.ruleSet());
        try (GpuDevice device = new GpuDevice(driver, 0, 2, 4096, HeaderWord.COUNT);
                InPlaceClassifier.Lease first = live.lease()) {
            DeviceMirror image =
                    new DeviceMirror(
                            device.memory(), first.memory(), live.layout(), 9, first.log());
            image.update(false);
            first.close();
            FakeDriver.Changer works = fake.tree;
            fake.tree =
                    (kernel, words, rules, side, stride, count) -> {
                        if (kernel.equals("paper_tree_condense")) {
                            throw new GpuException(719, "injected");
                        }
                        works.run(kernel, words, rules, side, stride, count);
                    };
            story.updates().forEach(live::apply); // to the other copy, then to this one
            assertThrows(GpuException.class, () -> image.update(false));
            fake.tree = works;
            image.update(false);
            assertSame(device, image);
            image.close();
        }
    }

    @Test
    void onlyHashTreesHaveSuchKernels() {
        InPlaceClassifier live =
                new InPlaceClassifier(
                        RuleStory.random(TestSeed.of(1), Shape.OPENFLOW, 5, 0, 0).ruleSet(),
                        HeaderLayout.complete(),
                        Algorithm.of("tuple"),
                        CompileContext.DEFAULTS);
        try (GpuDevice device = new GpuDevice(driver, 0, 1, 64, 4);
                GpuInPlaceClassifier gpu = new GpuInPlaceClassifier(device, live)) {
            assertThrows(UnsupportedOperationException.class, gpu::ruleByRule);
        }
    }
}
