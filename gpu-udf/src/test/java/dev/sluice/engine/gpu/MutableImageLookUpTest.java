package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.hashtree.HashTreeAlgorithm;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.HostKernels;
import dev.sluice.engine.update.LiveClassifier;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kernels that look into images that change, compiled for the CPU, give the CPU's answers. */
class MutableImageLookUpTest {
    private static final int HEADERS = 400;

    private static HostKernels program;

    private final Random random = TestSeed.random(17);
    private final ChangingRules changing = new ChangingRules(random, this::match);

    @BeforeAll
    static void compile() throws Exception {
        program = HostKernels.shared();
    }

    private Match match() {
        Match.Builder match = new Match.Builder();
        if (random.nextBoolean()) {
            match.field(Field.IPV4_SRC, random.nextInt(40) << 12, -1 << 12 + random.nextInt(12));
        }
        if (random.nextBoolean()) {
            match.field(Field.IPV4_DST, random.nextInt(9) << 28, -1 << 28 + random.nextInt(4));
        }
        if (random.nextInt(3) == 0) {
            match.field(Field.ETH_TYPE, 0x800 + random.nextInt(2));
        }
        if (random.nextInt(3) == 0) {
            match.mac(Field.ETH_DST, 0x1000 + random.nextInt(5), -1);
        }
        if (random.nextInt(3) == 0) {
            match.ports(Field.DST_PORT, random.nextInt(4), 5 + random.nextInt(4));
        }
        return match.build();
    }

    private HeaderBatch headers() {
        HeaderBatch batch = new HeaderBatch(HeaderLayout.complete(), HEADERS);
        int[] header = new int[HeaderWord.COUNT];
        for (int i = 0; i < HEADERS; i++) {
            header[HeaderWord.IPV4_SRC] = random.nextInt(40) << 12 | random.nextInt(4);
            header[HeaderWord.IPV4_DST] = random.nextInt(9) << 28;
            header[HeaderWord.ETHER] = 0x800 + random.nextInt(2) << 16;
            header[HeaderWord.MAC_LOW] = 0x1000 + random.nextInt(5);
            header[HeaderWord.PORTS] = random.nextInt(10);
            batch.add(header);
        }
        return batch;
    }

    private static Stream<Algorithm> inPlaceOnADevice() {
        return Algorithm.all().stream().filter(algorithm -> algorithm.liveKernel().isPresent());
    }

    @ParameterizedTest
    @MethodSource("inPlaceOnADevice")
    void theKernelsFindTheCpusSlots(Algorithm algorithm) throws Exception {
        RuleSet set = RuleSet.of("r", 1, RuleSet.DROP, changing.rules(300));
        EngineOptions options = EngineOptions.of(algorithm).with(HashTreeAlgorithm.THRESHOLD, 4);
        int found = 0;
        try (LiveClassifier live = Engine.live(set, HeaderLayout.complete(), options)) {
            for (int step = 0; step < 8; step++) {
                live.apply(changing.delta(random.nextInt(60), random.nextInt(60)));
                HeaderBatch batch = headers();
                try (LiveClassifier.Lease lease = live.lease()) {
                    VerdictBatch expected = new VerdictBatch(HEADERS);
                    lease.search(batch, expected);
                    IntBuffer slots = run(lease, batch, algorithm);
                    for (int i = 0; i < HEADERS; i++) {
                        int header = i;
                        int slot = slots.get(i);
                        assertEquals(
                                expected.rules()[i] < 0 ? -1 : expected.ids()[i],
                                slot < 0 ? -1 : lease.idOf(slot),
                                () -> algorithm + " header " + header);
                        found += slot < 0 ? 0 : 1;
                    }
                }
            }
        }
        assertTrue(found > HEADERS, "few headers matched: " + found);
    }

    private static IntBuffer run(LiveClassifier.Lease lease, HeaderBatch batch, Algorithm algorithm)
            throws Exception {
        int[] image = Arrays.copyOf(lease.memory().words(), lease.memory().size());
        int size = batch.layout().size();
        ByteBuffer in =
                ByteBuffer.allocate(4 * (3 + image.length + size * HEADERS))
                        .order(ByteOrder.nativeOrder());
        IntBuffer words = in.asIntBuffer();
        words.put(image.length).put(image).put(0).put(HEADERS);
        for (int p = 0; p < size; p++) {
            words.put(batch.words(), p * batch.capacity(), HEADERS);
        }
        String kernel = KernelCatalog.live(algorithm);
        return program.run(in, algorithm.label(), kernel);
    }
}
