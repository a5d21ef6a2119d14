package dev.sluice.operators.classify;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.stream.RuleSetLookup;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes messages of the verdicts on a block. The columns of packet numbers and times pass through
 * as they came.
 *
 * <p>A message of {@link VerdictFormat#BLOCKS} names each rule that matched once, in the order in
 * which the block's packets meet them, and each verdict is an index into these names. Which rules
 * were met already is kept by verdict, so that a block costs O(verdicts), however many rules there
 * are, and O(rules) memory is kept from block to block.
 *
 * <p>Not thread-safe: one worker uses it.
 */
final class VerdictEncoder {
    private final VerdictFormat format;

    /**
     * By verdict: the rule's index, from 1, among the rules of the block that is being encoded.
     * Valid where {@link #lastMet} has the block's number.
     */
    private int[] indexes = new int[0];

    /** By verdict: number of the last block whose packets met the rule. */
    private int[] lastMet = new int[0];

    /** Number of the block that was encoded last, from 1; tests let the numbers run out. */
    int blockNumber;

    VerdictEncoder(VerdictFormat format) {
        this.format = format;
    }

    /**
     * Appends the messages of a block whose verdicts are all there. The block's verdicts are used
     * up: their memory is overwritten.
     */
    void encode(PendingBlock pending, RuleSetLookup rules, List<byte[]> out) {
        if (format == VerdictFormat.BLOCKS) {
            out.add(block(pending, rules));
        } else {
            records(pending, rules, out);
        }
    }

    private byte[] block(PendingBlock pending, RuleSetLookup rules) {
        PacketBlock block = pending.block;
        int[] verdicts = pending.verdicts;
        if (lastMet.length < rules.slots()) {
            // Versions that follow each other name ever more rules: room for half as many again.
            lastMet = new int[rules.slots() + lastMet.length / 2];
            indexes = new int[lastMet.length];
        }
        blockNumber++;
        int[] met = new int[Math.min(block.count(), rules.slots())];
        int found = 0;
        for (int i = 0; i < verdicts.length; i++) {
            int verdict = verdicts[i];
            if (verdict == VerdictBatch.MISS) {
                verdicts[i] = 0;
                continue;
            }
            if (lastMet[verdict] != blockNumber) {
                lastMet[verdict] = blockNumber;
                met[found++] = verdict;
                indexes[verdict] = found;
            }
            verdicts[i] = indexes[verdict];
        }
        long[] ids = new long[found];
        for (int i = 0; i < found; i++) {
            ids[i] = rules.ruleId(met[i]);
        }
        if (blockNumber == Integer.MAX_VALUE) { // numbers begin again, and so must be forgotten
            Arrays.fill(lastMet, 0);
            blockNumber = 0;
        }
        return new VerdictBlock(
                        block.capture(),
                        block.captureIndex(),
                        block.shard(),
                        rules.version(),
                        block.count(),
                        ids,
                        packets(block),
                        block.column(Column.TIME_NS),
                        Column.ofWords(Column.RULE, verdicts, 0, verdicts.length))
                .encode();
    }

    private static Column packets(PacketBlock block) {
        Column packets = block.column(Column.PACKET);
        if (packets == null) {
            throw new IllegalStateException("a block without packet numbers passed the source");
        }
        return packets;
    }

    private static void records(PendingBlock pending, RuleSetLookup rules, List<byte[]> out) {
        PacketBlock block = pending.block;
        Column packets = packets(block);
        Column times = block.column(Column.TIME_NS);
        for (int i = 0; i < pending.verdicts.length; i++) {
            int verdict = pending.verdicts[i];
            @Nullable Rule rule = verdict == VerdictBatch.MISS ? null : rules.rule(verdict);
            Integer line = rule == null || rule.line() == 0 ? null : Integer.valueOf(rule.line());
            out.add(
                    new Verdict(
                                    block.capture(),
                                    block.captureIndex(),
                                    packets.get(i),
                                    times == null ? Column.NO_TIME : times.get(i),
                                    rule == null ? null : Long.valueOf(rule.id()),
                                    line,
                                    rule == null ? null : Integer.valueOf(rule.priority()),
                                    rule == null ? rules.defaultAction() : rule.action(),
                                    rules.version())
                            .encode());
        }
    }
}
