package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.launch.ChangesLayout;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.testing.HostKernels;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernel that looks up what changed, compiled for the CPU, against linear search. */
class OverlayKernelTest {
    private static final int HEADERS = 300;

    private static HostKernels program;

    @BeforeAll
    static void compile() throws Exception {
        program = HostKernels.shared();
    }

    private static Match match(Random random, boolean wide) {
        Match.Builder match = new Match.Builder();
        if (random.nextInt(4) > 0) {
            match.field(Field.IPV4_SRC, random.nextInt(40) << 12, -1 << 12 + random.nextInt(12));
        }
        if (random.nextBoolean()) {
            match.field(Field.IPV4_DST, random.nextInt(9) << 28, -1 << 28 + random.nextInt(4));
        }
        if (random.nextInt(3) == 0) {
            match.ports(Field.DST_PORT, random.nextInt(4), 5 + random.nextInt(4));
        }
        if (wide && random.nextInt(3) == 0) {
            match.field(Field.ETH_TYPE, 0x800 + random.nextInt(2));
        }
        if (wide && random.nextInt(3) == 0) {
            match.mac(Field.ETH_DST, 0x1000 + random.nextInt(5), -1);
        }
        return match.build();
    }

    private static HeaderBatch headers(Random random, HeaderLayout layout) {
        HeaderBatch batch = new HeaderBatch(layout, HEADERS);
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

    /** Later versions of the words answer for earlier ticks, too, as they do under a look-up. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void everyTickIsAnsweredAsByLinearSearch(long seed) throws Exception {
        Random random = TestSeed.random(seed);
        boolean wide = random.nextBoolean();
        ChangingVersions versions =
                new ChangingVersions(
                        random, () -> match(random, wide), Algorithm.of("merged-tuple"), 200);
        List<ChangingVersions.Version> open = new ArrayList<>();
        int fromOverlay = 0;
        for (int step = 0; step < 12; step++) {
            open.add(versions.change(random.nextInt(25), random.nextInt(60)));
            if (open.size() > 3) {
                open.remove(0).close();
            }
            for (ChangingVersions.Version version : open) {
                HeaderBatch batch = headers(random, versions.cpu().layout());
                int[] got = run(versions, version, batch);
                assertArrayEquals(
                        version.expected(batch), got, "step " + step + " tick " + version.tick());
                fromOverlay +=
                        (int) Arrays.stream(got).filter(v -> v >= versions.base().size()).count();
            }
        }
        int found = fromOverlay;
        assertTrue(found > HEADERS, () -> "few headers met a rule that came: " + found);
    }

    private static int[] run(
            ChangingVersions versions, ChangingVersions.Version version, HeaderBatch batch)
            throws Exception {
        VerdictBatch base = new VerdictBatch(HEADERS);
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
        int[] verdicts = new int[HEADERS];
        program.run(in, "overlay", KernelCatalog.OVERLAY).get(verdicts);
        return verdicts;
    }
}
