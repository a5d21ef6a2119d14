package dev.sluice.schemas.codec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the two kinds of blocks straight from their bytes, in the present form of their
 * schemas.
 *
 * <p>It goes through a block once, holds every length against the bytes that are there, and keeps
 * the first contradiction until the block has ended. So a message is first refused for its form,
 * then for its content. Work is by field, rule and column, not by header.
 *
 * <p>Reusable; not thread-safe. It allocates nothing but what it gives back, unless a block has
 * columns of ids that no writer of ours gives.
 */
final class BlockReader {
    /** Columns that a block has at most, if our writers wrote it. */
    private static final int USUAL_COLUMNS = 44;

    private final WireCursor in = new WireCursor();

    /** Ids of the columns, those that writers of ours give apart: the others take boxes. */
    private final BitSet usualIds = new BitSet(1 << 7);

    private final Set<Integer> otherIds = new HashSet<>(0);
    private @Nullable MalformedMessageException fault;
    private int captureAt;
    private int captureIndex;
    private int shard;
    private int shards;
    private int count;

    /** Begins with a message; returns the cursor, which stands on its first field. */
    WireCursor start(byte[] among, int from, int length) {
        in.start(among, from + MessageCodec.HEADER_BYTES, from + length);
        fault = null;
        return in;
    }

    /** Lets go of the message. */
    void clear() {
        in.clear();
    }

    private void fault(DeadLetterReason reason, String detail) {
        fault = fault == null ? new MalformedMessageException(reason, detail) : fault;
    }

    /** Ends the message: throws what was found wrong with its form or, else, with its content. */
    void end() throws MalformedMessageException {
        in.end();
        if (fault != null) {
            throw fault;
        }
    }

    /**
     * Returns the flow shard of a PacketBlock among other bytes, which is checked as {@link
     * #packets} checks it.
     */
    int shard(byte[] among, int from, int length) throws MalformedMessageException {
        start(among, from, length);
        packetFields(null);
        end();
        in.moveTo(captureAt);
        TextLimit.require(DeadLetterReason.BLOCK_TEXT, "capture name", in.length());
        return shard;
    }

    /**
     * Returns the block of a PacketBlock or, with its place, of a PlacedBlock. Its columns are
     * parts of the message.
     */
    PacketBlock packets(byte[] message, boolean placed) throws MalformedMessageException {
        start(message, 0, message.length);
        List<Column> made = new ArrayList<>(USUAL_COLUMNS);
        packetFields(made);
        String topic = placed ? in.text() : "";
        int partition = placed ? in.integer() : 0;
        long offset = placed ? in.number() : 0;
        end();
        PacketPlace place = place(topic, partition, offset, 0);
        in.moveTo(captureAt);
        return new PacketBlock(in.text(), captureIndex, shard, shards, count, made, place);
    }

    private void packetFields(@Nullable List<Column> made) throws MalformedMessageException {
        captureAt = in.at();
        in.skip(in.number());
        captureIndex = in.integer();
        shard = in.integer();
        shards = in.integer();
        count();
        if (shard < 0 || shard >= shards) {
            fault(DeadLetterReason.BLOCK_SHARD, shard + " is not in 0.." + (shards - 1));
        }
        if (!columns(made)) {
            fault(DeadLetterReason.BLOCK_NUMBERS, "column " + Column.PACKET + " is missing");
        }
    }

    /** Reads how many values each column has. */
    int count() throws MalformedMessageException {
        count = in.integer();
        if (count < 1 || count > PacketBlock.MAX_COUNT) {
            fault(DeadLetterReason.BLOCK_COUNT, count + " is not in 1.." + PacketBlock.MAX_COUNT);
        }
        return count;
    }

    /** Reads the columns of a verdict block. */
    List<Column> columns() throws MalformedMessageException {
        List<Column> made = new ArrayList<>(USUAL_COLUMNS);
        columns(made);
        return made;
    }

    /**
     * Goes through the columns, and makes them.
     *
     * @param made takes them; null: none is made
     * @return whether one has packet numbers
     */
    private boolean columns(@Nullable List<Column> made) throws MalformedMessageException {
        boolean numbered = false;
        usualIds.clear();
        otherIds.clear();
        for (int part = in.items(); part != 0; part = in.items()) {
            for (int i = 0; i < part; i++) {
                int id = in.integer();
                long base = in.number();
                int width = in.integer();
                int length = in.length();
                int at = in.at();
                in.skip(length);
                if (!Column.fits(width, length, count)) {
                    fault(
                            DeadLetterReason.BLOCK_COLUMN_LENGTH,
                            "column %d has width %d and %d bytes for %d values"
                                    .formatted(id, width, length, count));
                } else if (!isNew(id)) {
                    fault(DeadLetterReason.BLOCK_COLUMN_TWICE, "column " + id);
                } else if (made != null) {
                    made.add(new Column(id, base, width, in.bytes(), at, length));
                }
                numbered |= id == Column.PACKET;
            }
        }
        return numbered;
    }

    private boolean isNew(int id) {
        if (id >>> 7 != 0) {
            return otherIds.add(id);
        }
        boolean fresh = !usualIds.get(id);
        usualIds.set(id);
        return fresh;
    }

    /** Returns the place that a block states for its packets; null where it says nothing. */
    @Nullable PacketPlace place(String topic, int partition, long offset, int first)
            throws MalformedMessageException {
        if (topic.isEmpty()) {
            return null;
        }
        if (partition < 0 || offset < 0 || first < 0 || first > PacketBlock.MAX_COUNT - count) {
            throw new MalformedMessageException(
                    DeadLetterReason.BLOCK_PLACE,
                    "packet %d and %d more at offset %d of partition %d"
                            .formatted(first, count - 1, offset, partition));
        }
        return new PacketPlace(topic, partition, offset, first);
    }

    /** Reads an array of numbers. */
    long[] numbers() throws MalformedMessageException {
        long[] numbers = {};
        for (int part = in.items(); part != 0; part = in.items()) {
            int n = numbers.length;
            numbers = Arrays.copyOf(numbers, n + part);
            while (n < numbers.length) {
                numbers[n++] = in.number();
            }
        }
        return numbers;
    }

    /** Reads the answers of a policy and its assumption; null: there are none. */
    @Nullable PolicyAnswers answers() throws MalformedMessageException {
        PolicyAnswers answers = new PolicyAnswers();
        for (int part = in.items(); part != 0; part = in.items()) {
            for (int i = 0; i < part; i++) {
                long outcome = in.number();
                if (outcome < 0 || outcome >= VerdictOutcome.count()) {
                    throw WireCursor.malformed("outcome " + outcome);
                }
                answers.add(VerdictOutcome.at((int) outcome), in.integer());
            }
        }
        String assumed = in.text();
        return answers.size() == 0 ? null : answers.under(assumed);
    }

    /** Reads an array of texts. */
    List<String> texts() throws MalformedMessageException {
        List<String> texts = new ArrayList<>();
        for (int part = in.items(); part != 0; part = in.items()) {
            for (int i = 0; i < part; i++) {
                texts.add(in.text());
            }
        }
        return List.copyOf(texts);
    }
}
