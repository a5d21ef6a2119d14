package dev.sluice.operators.rules.topic;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.RuleRecord;
import dev.sluice.schemas.codec.RuleChange.ShiftRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cuts transactions on rules into messages of at most {@link #MESSAGE_BYTES}: to read one takes
 * about a millisecond, so that whoever follows the topic between packets does not hold them up. A
 * single rule with more text than that has a message of its own.
 */
public final class RuleSetMessages {
    /** Bytes of the longest message, but for one that holds a single rule of more bytes. */
    public static final int MESSAGE_BYTES = 1 << 16;

    /** Bytes of a message beside rules, ids and shifts. */
    private static final int FRAME_BYTES = 256;

    private static final int LONGEST_NUMBER = 10;

    /** Bytes of the longest step. */
    private static final int STEP_BYTES = 3 + 4 * LONGEST_NUMBER;

    private final RuleChange begin;
    private final List<byte[]> messages = new ArrayList<>();
    private List<RuleRecord> puts = new ArrayList<>();
    private List<Long> removes = new ArrayList<>();
    private List<ShiftRecord> shifts = new ArrayList<>();
    private final int room;
    private int bytes;
    private int chunks;

    private RuleSetMessages(RuleChange begin) {
        this.begin = begin;
        this.room = MESSAGE_BYTES - FRAME_BYTES - utf8Bytes(begin.transaction());
        messages.add(begin.encode());
    }

    /**
     * The messages of a transaction that replaces all rules: its BEGIN, CHANGES in chunks, its
     * COMMIT.
     *
     * @param begin the BEGIN of the transaction
     * @param rules the rules; all have places, or all get them in this order
     */
    public static List<byte[]> snapshot(RuleChange begin, Iterable<Rule> rules) {
        RuleSetMessages cut = new RuleSetMessages(begin);
        rules.forEach(cut::put);
        return cut.end();
    }

    /**
     * The messages of a transaction that changes rules.
     *
     * @param begin the BEGIN of the transaction, which names the base
     */
    public static List<byte[]> delta(RuleChange begin, RuleDelta delta) {
        RuleSetMessages cut = new RuleSetMessages(begin);
        for (Long id : delta.removes()) {
            cut.makeRoom(LONGEST_NUMBER);
            cut.removes.add(id);
        }
        for (LineShift shift : delta.shifts()) {
            cut.makeRoom(LONGEST_NUMBER);
            cut.shifts.add(new ShiftRecord(shift.from(), shift.by()));
        }
        delta.inserts().forEach(cut::put);
        return cut.end();
    }

    private void put(Rule rule) {
        RuleRecord put = RuleRecords.of(rule);
        int size = 3 + put.place().length + numberBytes(put.place().length);
        size += put.step() == null ? 0 : STEP_BYTES;
        for (int word : put.words()) {
            size += numberBytes(word);
        }
        for (String text : List.of(put.action(), put.text())) {
            int length = utf8Bytes(text);
            size += numberBytes(length) + length;
        }
        for (@Nullable Integer range : Arrays.asList(put.srcPorts(), put.dstPorts())) {
            size += range == null ? 0 : numberBytes(range);
        }
        size += numberBytes(put.id()) + numberBytes(put.priority()) + numberBytes(put.line());
        makeRoom(size + numberBytes(put.words().length));
        puts.add(put);
    }

    private void makeRoom(int more) {
        if (bytes + more > room && bytes > 0) {
            endChunk();
        }
        bytes += more;
    }

    private void endChunk() {
        messages.add(RuleChange.changes(begin, chunks++, puts, removes, shifts).encode());
        puts = new ArrayList<>();
        removes = new ArrayList<>();
        shifts = new ArrayList<>();
        bytes = 0;
    }

    private List<byte[]> end() {
        if (bytes > 0) {
            endChunk();
        }
        messages.add(RuleChange.commit(begin, chunks).encode());
        return messages;
    }

    /** Bytes of a number in Avro: 7 bits each of its zigzag form. */
    private static int numberBytes(long number) {
        long zigzag = number << 1 ^ number >> 63;
        return (70 - Long.numberOfLeadingZeros(zigzag | 1)) / 7;
    }

    private static int utf8Bytes(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
        }
        return bytes;
    }
}
