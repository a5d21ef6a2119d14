package dev.sluice.operators.classify;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes messages of verdicts. Columns of packet numbers and times pass through as they came. Used
 * by the worker thread alone.
 */
final class VerdictEncoder {
    private final VerdictFormat format;

    /** Index in the block's rules by position, valid where the stamp is the current block's. */
    private int[] indexes = new int[0];

    private int[] stamps = new int[0];
    private int stamp;

    VerdictEncoder(VerdictFormat format) {
        this.format = format;
    }

    /** Appends the messages of a block whose verdicts are all there. */
    void encode(PendingBlock pending, RuleSet rules, List<byte[]> out) {
        if (format == VerdictFormat.BLOCKS) {
            out.add(block(pending, rules));
        } else {
            records(pending, rules, out);
        }
    }

    private byte[] block(PendingBlock pending, RuleSet rules) {
        PacketBlock block = pending.block;
        int[] verdicts = pending.verdicts;
        if (stamps.length < rules.size()) {
            stamps = new int[rules.size()];
            indexes = new int[rules.size()];
            stamp = 0;
        }
        stamp++;
        int[] positions = new int[Math.min(block.count(), rules.size())];
        int found = 0;
        for (int i = 0; i < verdicts.length; i++) {
            int position = verdicts[i];
            if (position == VerdictBatch.MISS) {
                verdicts[i] = 0;
                continue;
            }
            if (stamps[position] != stamp) {
                stamps[position] = stamp;
                positions[found++] = position;
                indexes[position] = found;
            }
            verdicts[i] = indexes[position];
        }
        long[] ids = new long[found];
        for (int i = 0; i < found; i++) {
            ids[i] = rules.rules().get(positions[i]).id();
        }
        if (stamp == Integer.MAX_VALUE) {
            Arrays.fill(stamps, 0);
            stamp = 0;
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

    private static void records(PendingBlock pending, RuleSet rules, List<byte[]> out) {
        PacketBlock block = pending.block;
        Column packets = packets(block);
        Column times = block.column(Column.TIME_NS);
        for (int i = 0; i < pending.verdicts.length; i++) {
            int position = pending.verdicts[i];
            @Nullable Rule rule =
                    position == VerdictBatch.MISS ? null : rules.rules().get(position);
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
