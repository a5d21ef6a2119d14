package dev.sluice.job.hits;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.Step;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Times of a policy: reading and flattening, compiling, and packets a second on one core with all
 * look-ups. {@code PolicyBench FILE#HOOK [new|established|-] [IN OUT]}.
 */
final class PolicyBench {
    private static final int BATCHES = 64;
    private static final int ROUNDS = 12;
    private static final int BATCH = CaptureHits.BATCH;

    private PolicyBench() {}

    public static void main(String[] args) {
        ConnectionState state =
                args.length < 2 || args[1].equals("-")
                        ? null
                        : ConnectionState.valueOf(args[1].toUpperCase(Locale.ROOT));
        String in = args.length > 2 ? args[2] : null;
        String out = args.length > 3 ? args[3] : null;
        PolicyOptions options =
                new PolicyOptions(
                        null, new Assumptions(state, in, out), Boolean.getBoolean("skip"));
        long start = System.nanoTime();
        PolicyFile file = PolicyFile.read(Path.of(args[0]), options);
        long read = System.nanoTime();
        try (RuleJudge judge = new RuleJudge(file.flat().rules(), BATCH)) {
            long compiled = System.nanoTime();
            System.out.printf("%s%n", file.summary());
            System.out.printf(
                    "read and flattened %,d ms, compiled %,d ms%n",
                    (read - start) / 1_000_000, (compiled - read) / 1_000_000);
            List<Rule> boxes =
                    file.flat().rules().rules().stream().filter(PolicyBench::isBox).toList();
            HeaderBatch[] batches = new HeaderBatch[BATCHES];
            Random random = new Random(1);
            for (int b = 0; b < BATCHES; b++) {
                batches[b] = judge.newBatch(BATCH);
                for (int p = 0; p < BATCH; p++) {
                    batches[b].add(header(boxes, random));
                }
            }
            for (int round = 0; round < ROUNDS; round++) {
                long from = System.nanoTime();
                long sum = 0;
                for (HeaderBatch batch : batches) {
                    for (int verdict : judge.judge(batch).rules()) {
                        sum += verdict;
                    }
                }
                double seconds = (System.nanoTime() - from) / 1e9;
                System.out.printf(
                        Locale.ROOT,
                        "%.2f M packets/s (sum %d)%n",
                        BATCHES * BATCH / seconds / 1e6,
                        sum);
            }
        }
    }

    private static boolean isBox(Rule rule) {
        Step step = rule.step();
        return step != null && (step.kind().isBox() || step.kind() == Step.Kind.ELEMENT);
    }

    /** A packet of a box, its other bits drawn. */
    private static int[] header(List<Rule> boxes, Random random) {
        Match box = boxes.get(random.nextInt(boxes.size())).match();
        int[] header = new int[HeaderWord.COUNT];
        Field.IP_VERSION.put(header, Field.VERSION_4);
        header[HeaderWord.ETHER] = 0x0800_0000;
        Field.IP_PROTO.put(header, random.nextBoolean() ? 6 : 17);
        Field.FRAGMENT.put(header, Field.FRAGMENT_NONE);
        header[HeaderWord.IPV4_SRC] = random.nextInt();
        header[HeaderWord.IPV4_DST] = random.nextInt();
        Field.SRC_PORT.put(header, random.nextInt(1 << 16));
        Field.DST_PORT.put(header, random.nextInt(1 << 16));
        Field.TCP_FLAGS.put(header, 0x10);
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            header[word] = header[word] & ~box.mask(word) | box.value(word);
        }
        if (box.dstPorts() != Match.RANGE_HIGH) {
            Field.DST_PORT.put(header, box.dstPorts() >>> Match.RANGE_LOW_SHIFT);
        }
        if (box.srcPorts() != Match.RANGE_HIGH) {
            Field.SRC_PORT.put(header, box.srcPorts() >>> Match.RANGE_LOW_SHIFT);
        }
        return header;
    }
}
