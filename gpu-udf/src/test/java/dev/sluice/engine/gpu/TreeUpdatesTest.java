package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.memory.DeviceMirror;
import dev.sluice.engine.hashtree.HashTreeAlgorithm;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.HostKernels;
import dev.sluice.engine.update.LiveClassifier;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernels of H-HashTree's updates, compiled for the CPU, leave what the host's tree is. */
@Timeout(60)
class TreeUpdatesTest {
    private static HostKernels program;

    private final FakeDriver fake = new FakeDriver(1);
    private final FaultInjector driver = new FaultInjector(fake);
    private Random random = TestSeed.random(1);
    private ChangingRules changing = new ChangingRules(random, this::match);

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

    private Match match() {
        Match.Builder match = new Match.Builder();
        int kind = random.nextInt(8);
        if ((kind & 1) != 0) {
            match.field(Field.VLAN_ID, random.nextInt(6));
        }
        if ((kind & 2) != 0) {
            match.field(Field.ETH_TYPE, random.nextBoolean() ? 0x800 : 0x806);
        }
        if ((kind & 4) != 0) {
            match.field(Field.IN_PORT, random.nextInt(3));
        }
        if (random.nextBoolean()) {
            match.mac(Field.ETH_DST, 0x1000 + random.nextInt(5), -1);
        }
        if (random.nextBoolean()) {
            match.field(Field.IPV4_SRC, random.nextInt(40) << 12, -1 << 12 + random.nextInt(12));
        }
        if (random.nextInt(4) == 0) {
            match.field(Field.VLAN_PRIORITY, random.nextInt(3));
        }
        return match.build();
    }

    private List<Rule> rules(int count) {
        return changing.rules(count);
    }

    private RuleDelta delta(int removes, int inserts) {
        return changing.delta(removes, inserts);
    }

    private LiveClassifier live(int count) {
        RuleSet set = RuleSet.of("r", 1, RuleSet.DROP, rules(count));
        EngineOptions options =
                EngineOptions.of(Algorithm.of("hash-tree")).with(HashTreeAlgorithm.THRESHOLD, 4);
        return Engine.live(set, HeaderLayout.complete(), options);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theDevicesTreeIsTheHostsWordForWord(long seed) {
        random = TestSeed.random(seed);
        changing = new ChangingRules(random, this::match);
        fake.tree = TreeUpdatesTest::run;
        Map<Object, DeviceMirror> images = new HashMap<>();
        try (GpuDevice device = new GpuDevice(driver, 0, 2, 256, 12);
                LiveClassifier live = live(400)) {
            int byLines = 0;
            for (int step = 0; step < 40; step++) {
                int change = step == 30 ? 150 : 12; // more than a launch takes, once
                live.apply(delta(random.nextInt(change), random.nextInt(change)));
                try (LiveClassifier.Lease lease = live.lease()) {
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
                    int size = image.source().size();
                    int[] there = new int[size];
                    device.device().download(there, 0, size, image.image().address());
                    assertArrayEquals(
                            Arrays.copyOf(image.source().words(), size), there, "step " + step);
                }
            }
            long repeated = images.values().stream().mapToLong(DeviceMirror::repeatedRules).sum();
            assertTrue(repeated > 200, () -> repeated + " rules by kernels");
            int kept = byLines;
            assertTrue(kept < 20, () -> kept + " steps by lines");
            images.values().forEach(DeviceMirror::close);
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void aStepThatFailsIsMendedByLines() {
        fake.tree = TreeUpdatesTest::run;
        try (GpuDevice device = new GpuDevice(driver, 0, 2, 4096, 12);
                LiveClassifier live = live(200);
                LiveClassifier.Lease first = live.lease()) {
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
            for (int d = 0; d < 2; d++) { // to the other copy, then to this one
                live.apply(delta(3, 3));
            }
            assertThrows(GpuException.class, () -> image.update(false));
            fake.tree = works;
            image.update(false);
            int size = image.source().size();
            int[] there = new int[size];
            device.device().download(there, 0, size, image.image().address());
            assertArrayEquals(Arrays.copyOf(image.source().words(), size), there);
            image.close();
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void onlyHashTreesHaveSuchKernels() {
        try (GpuDevice device = new GpuDevice(driver, 0, 1, 64, 4);
                LiveClassifier live =
                        Engine.live(
                                RuleSet.of("r", 1, RuleSet.DROP, rules(5)),
                                HeaderLayout.complete(),
                                EngineOptions.of(Algorithm.of("tuple")));
                GpuLiveClassifier gpu = new GpuLiveClassifier(device, live)) {
            assertThrows(UnsupportedOperationException.class, gpu::ruleByRule);
        }
    }
}
