package dev.sluice.lab.inplace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.memory.MutableImage;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules that change in place on a device, with a driver that runs on the heap. */
@Timeout(60)
class GpuInPlaceClassifierTest {
    private static final int MOST_WORDS = HeaderWord.COUNT;
    private static final List<FaultInjector.Point> FAULTS =
            List.of(FaultInjector.Point.LAUNCH, FaultInjector.Point.AWAIT);
    private static final RuleDelta NOTHING = new RuleDelta(List.of(), List.of());
    private static final List<String> CHANGING_IN_PLACE =
            List.of("tuple", "merged-tuple", "bloom", "hash-tree", "mask-filter");

    private final FakeDriver fake = new FakeDriver(1);

    /** Rules that change on a device, each update and batch as a test wants it. */
    private class OnDevice implements Subject.Session {
        final GpuDevice device = new GpuDevice(fake, 0, 4, 256, MOST_WORDS);
        final InPlaceClassifier live;
        final GpuInPlaceClassifier gpu;
        final long bytesAtFirst;
        int updates;
        int asked;
        long bytesAtLast;
        long patchedLines;
        long wholeCopies;

        OnDevice(Algorithm algorithm, RuleSet rules, HeaderLayout layout) {
            live = new InPlaceClassifier(rules, layout, algorithm, CompileContext.DEFAULTS);
            gpu = new GpuInPlaceClassifier(device, live);
            bytesAtFirst = gpu.deviceBytes();
        }

        @Override
        public void apply(RuleDelta delta) throws Exception {
            updates++;
            gpu.apply(delta);
        }

        /** The headers as two batches, which are cut at another place each time. */
        @Override
        public long[] answers(List<int[]> headers) throws Exception {
            int cut = headers.isEmpty() ? 0 : 37 * asked++ % headers.size();
            long[] answers = new long[headers.size()];
            if (cut > 0) {
                System.arraycopy(ask(headers.subList(0, cut)), 0, answers, 0, cut);
            }
            if (cut < answers.length) {
                long[] rest = ask(headers.subList(cut, answers.length));
                System.arraycopy(rest, 0, answers, cut, rest.length);
            }
            return answers;
        }

        final long[] ask(List<int[]> headers) {
            VerdictBatch verdicts = new VerdictBatch(headers.size());
            gpu.classify(batch(headers), verdicts);
            return ids(verdicts);
        }

        final HeaderBatch batch(List<int[]> headers) {
            HeaderBatch batch = new HeaderBatch(live.layout(), Math.max(1, headers.size()));
            headers.forEach(batch::add);
            return batch;
        }

        final long[] ids(VerdictBatch verdicts) {
            long[] ids = new long[verdicts.rules().length];
            for (int i = 0; i < ids.length; i++) {
                ids[i] = verdicts.rule(i) < 0 ? RuleStory.NO_RULE : verdicts.ids()[i];
            }
            return ids;
        }

        @Override
        public void close() {
            bytesAtLast = gpu.deviceBytes();
            patchedLines = gpu.patchedLines();
            wholeCopies = gpu.wholeCopies();
            assertEquals(bytesAtLast, device.imageBytes());
            gpu.close();
            device.close();
        }
    }

    /** Makes sessions, the first of which is that of the whole story. */
    private interface Open<T extends Subject.Session> {
        T open(RuleSet rules, HeaderLayout layout) throws Exception;
    }

    /** Holds a story against the oracle; returns its session. */
    private <T extends Subject.Session> T assertServed(
            RuleStory story, String label, Open<T> open) {
        List<T> opened = new ArrayList<>();
        SameVerdicts.assertServed(
                story,
                new Subject() {
                    @Override
                    public String label() {
                        return label;
                    }

                    @Override
                    public Session open(RuleSet rules, HeaderLayout layout) throws Exception {
                        T session = open.open(rules, layout);
                        opened.add(session);
                        return session;
                    }
                });
        assertEquals(0, fake.blocks(), "memory is left");
        return opened.get(0);
    }

    private static ChangingRules changing(int rules) {
        return new ChangingRules(TestSeed.of(3), Shape.ACCESS_LIST, rules);
    }

    /** A story of so many updates of so many changes. */
    private static RuleStory story(
            String name, int rules, int updates, int removes, int inserts, int headers) {
        ChangingRules changing = changing(rules);
        for (int u = 0; u < updates; u++) {
            changing.replace(removes, inserts);
        }
        return changing.story(name, headers);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tuple", "merged-tuple", "bloom"})
    void everyDeltaIsThereWithTheNextBatch(Algorithm algorithm) {
        ChangingRules changing = changing(300);
        for (int step = 0; step < 200; step++) {
            changing.replace(changing.below(4), changing.below(5));
        }
        OnDevice done =
                assertServed(
                        changing.story("next-batch", 400),
                        algorithm.label() + "-on-a-device",
                        (rules, layout) -> new OnDevice(algorithm, rules, layout));
        assertTrue(done.patchedLines > 500, () -> done.patchedLines + " lines");
        assertTrue(done.bytesAtLast > 0);
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreAnsweredOnADevice(Path file) throws Exception {
        RuleStory story = StoryFile.read(file);
        for (String label : List.of("tuple", "merged-tuple", "bloom")) {
            assertServed(
                    story,
                    label + "-on-a-device",
                    (rules, layout) -> new OnDevice(Algorithm.of(label), rules, layout));
        }
        for (String label : CHANGING_IN_PLACE) {
            assertServed(
                    story,
                    label + "-mirrored",
                    (rules, layout) -> new Mirrored(Algorithm.of(label), rules, layout));
        }
    }

    /** Copies on a device of rules that change, compared with the host's after several updates. */
    private final class Mirrored implements Subject.Session {
        final GpuDevice device = new GpuDevice(fake, 0, 2, 256, MOST_WORDS);
        final InPlaceClassifier live;
        final List<DeviceMirror> mirrors = new ArrayList<>();
        int updates;

        Mirrored(Algorithm algorithm, RuleSet rules, HeaderLayout layout) {
            live = new InPlaceClassifier(rules, layout, algorithm, CompileContext.DEFAULTS);
            try (InPlaceClassifier.Lease lease = live.lease()) {
                DeviceMirror first =
                        new DeviceMirror(device.memory(), lease.memory(), live.layout(), 2, null);
                first.update(false);
                same(device, first);
                first.close();
            }
        }

        @Override
        public void apply(RuleDelta delta) {
            live.apply(delta);
            if (updates++ % 3 == 0) { // several deltas between two looks
                compare();
            }
        }

        private void compare() {
            try (InPlaceClassifier.Lease lease = live.lease()) {
                same(device, upToDate(mirrors, device, lease.memory(), live));
            }
        }

        @Override
        public void settle() {
            compare();
        }

        @Override
        public long[] answers(List<int[]> headers) {
            return InPlaceSubject.answers(live, headers);
        }

        @Override
        public void close() {
            mirrors.forEach(DeviceMirror::close);
            device.close();
        }
    }

    static List<Algorithm> changingInPlace() {
        return CHANGING_IN_PLACE.stream().map(Algorithm::of).toList();
    }

    @ParameterizedTest
    @MethodSource("changingInPlace")
    void theDevicesCopyIsTheHostsWordForWord(Algorithm algorithm) {
        ChangingRules changing = changing(300);
        for (int step = 0; step < 300; step++) {
            changing.replace(changing.below(6), changing.below(7));
        }
        Mirrored done =
                assertServed(
                        changing.story("mirrored", 20),
                        algorithm.label() + "-mirrored",
                        (rules, layout) -> new Mirrored(algorithm, rules, layout));
        assertEquals(300, done.updates);
    }

    private static DeviceMirror upToDate(
            List<DeviceMirror> mirrors,
            GpuDevice device,
            MutableImage memory,
            InPlaceClassifier live) {
        for (DeviceMirror image : mirrors) {
            if (image.source() == memory) {
                image.update(false);
                return image;
            }
        }
        DeviceMirror fresh = new DeviceMirror(device.memory(), memory, live.layout(), 2, null);
        fresh.update(false);
        mirrors.add(fresh);
        return fresh;
    }

    private static void same(GpuDevice device, DeviceMirror image) {
        int size = image.source().size();
        int[] there = new int[size];
        device.device().download(there, 0, size, image.image().address());
        int[] here = Arrays.copyOf(image.source().words(), size);
        assertArrayEquals(here, there);
        assertFalse(image.behind());
    }

    @Test
    void rulesThatOutgrowTheirMemoryMove() {
        OnDevice done =
                assertServed(
                        story("outgrow", 10, 40, 0, 500, 100),
                        "tuple-on-a-device",
                        (rules, layout) -> new OnDevice(Algorithm.of("tuple"), rules, layout));
        assertTrue(done.bytesAtLast > 2 * done.bytesAtFirst);
    }

    /** While rules change, the headers that were asked last are under way once more. */
    private class UnderWay extends OnDevice {
        List<int[]> last = List.of();
        long[] wanted = {};
        VerdictBatch verdicts = new VerdictBatch(0);
        @Nullable PendingVerdicts pending;

        UnderWay(Algorithm algorithm, RuleSet rules, HeaderLayout layout) {
            super(algorithm, rules, layout);
        }

        @Override
        public void apply(RuleDelta delta) throws Exception {
            verdicts = new VerdictBatch(last.size());
            pending = gpu.submit(batch(last), verdicts);
            super.apply(delta);
        }

        @Override
        public long[] answers(List<int[]> headers) throws Exception {
            long[] answers = ask(headers);
            land();
            last = headers;
            wanted = answers;
            return answers;
        }

        /** What was under way has the answers of its own version. */
        final void land() {
            if (pending != null) {
                pending.await();
                pending = null;
                assertArrayEquals(wanted, ids(verdicts), "a batch under way");
            }
        }

        @Override
        public void close() {
            land();
            super.close();
        }
    }

    @Test
    void aLaunchIsPreparedAnewWhenTheMirrorMoved() {
        // Two batches at once: each of the two copies keeps a staging buffer of its own.
        OnDevice done =
                assertServed(
                        story("moved", 10, 40, 0, 500, 100),
                        "tuple-with-a-batch-under-way",
                        (rules, layout) -> new UnderWay(Algorithm.of("tuple"), rules, layout));
        assertTrue(done.wholeCopies > 4, () -> done.wholeCopies + " copies");
    }

    /** The rules change by another thread, which waits for the batch that is under way. */
    private final class Overtaken extends UnderWay {
        private final ExecutorService writer = Executors.newSingleThreadExecutor();

        Overtaken(Algorithm algorithm, RuleSet rules, HeaderLayout layout) {
            super(algorithm, rules, layout);
        }

        @Override
        public void apply(RuleDelta delta) throws Exception {
            verdicts = new VerdictBatch(last.size());
            pending = gpu.submit(batch(last), verdicts);
            Future<?> written =
                    writer.submit(
                            () -> {
                                gpu.apply(delta);
                                gpu.apply(NOTHING); // waits for the batch
                            });
            land();
            written.get();
        }

        @Override
        public void close() {
            writer.shutdown();
            super.close();
        }
    }

    @Test
    void aBatchUnderWayKeepsItsVersion() {
        assertServed(
                story("under-way", 200, 50, 5, 5, 100),
                "merged-tuple-overtaken",
                (rules, layout) -> new Overtaken(Algorithm.of("merged-tuple"), rules, layout));
    }

    @Test
    void aFailureIsThrownAndNoVersionIsHeld() {
        FaultInjector faulty = new FaultInjector(fake);
        ChangingRules changing = changing(50);
        RuleSet rules = changing.ruleSet();
        InPlaceClassifier live =
                new InPlaceClassifier(
                        rules, rules.layout(), Algorithm.of("tuple"), CompileContext.DEFAULTS);
        HeaderBatch batch = new HeaderBatch(live.layout(), 1);
        batch.add(changing.header());
        VerdictBatch verdicts = new VerdictBatch(1);
        try (GpuDevice device = new GpuDevice(faulty, 0, 1, 64, 4);
                GpuInPlaceClassifier gpu = new GpuInPlaceClassifier(device, live)) {
            for (FaultInjector.Point point : FAULTS) {
                faulty.fail(point, 1, 719);
                assertThrows(GpuException.class, () -> gpu.classify(batch, verdicts));
            }
            gpu.apply(NOTHING);
            gpu.apply(NOTHING); // would wait for a version that is held
        }
    }

    @Test
    void rulesThatDoNotLieInOneMemoryAreRefused() {
        RuleSet rules = changing(20).ruleSet();
        InPlaceClassifier live =
                new InPlaceClassifier(
                        rules,
                        rules.layout(),
                        Algorithm.of("exact-first"),
                        CompileContext.DEFAULTS);
        try (GpuDevice device = new GpuDevice(fake, 0, 1, 64, 4)) {
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> new GpuInPlaceClassifier(device, live));
        }
    }
}
