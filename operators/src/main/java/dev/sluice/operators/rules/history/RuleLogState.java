package dev.sluice.operators.rules.history;

import dev.sluice.operators.rules.topic.StateTexts;
import dev.sluice.operators.rules.topic.TopicFollower;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What brings another {@link RuleLog} to where one was at a moment. To take it costs no time; its
 * messages are put together when they are asked for, by any thread.
 */
public final class RuleLogState {
    private static final byte[] MARK = {'r', 'u', 'l', 'e', 'l', 'o', 'g', 1};

    private final String servableHistory;
    private final long servableVersion;
    private final List<LoggedTransaction> log;
    private final TopicFollower.State follower;

    /**
     * A moment.
     *
     * @param log the whole transactions; the list does not change any more
     */
    RuleLogState(
            String servableHistory,
            long servableVersion,
            List<LoggedTransaction> log,
            TopicFollower.State follower) {
        this.servableHistory = servableHistory;
        this.servableVersion = servableVersion;
        this.log = log;
        this.follower = follower;
    }

    /** Whether a message is the head of {@link #messages}, and none of the topic's. */
    static boolean isHead(byte[] message) {
        return message.length >= MARK.length
                && Arrays.equals(message, 0, MARK.length, MARK, 0, MARK.length);
    }

    /** Bytes of a head before what {@link #messages} writes there. */
    static int markBytes() {
        return MARK.length;
    }

    /** A head, then messages of the topic. */
    public List<byte[]> messages() {
        ByteArrayOutputStream head = new ByteArrayOutputStream(256);
        try (DataOutputStream out = new DataOutputStream(head)) {
            out.write(MARK);
            StateTexts.write(out, servableHistory);
            out.writeLong(servableVersion);
            out.writeInt(log.size());
            for (LoggedTransaction one : log) {
                out.writeBoolean(one.unservable());
                out.writeInt(one.messages().size());
            }
            follower.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        List<byte[]> messages = new ArrayList<>();
        messages.add(head.toByteArray());
        log.forEach(one -> messages.addAll(one.messages()));
        messages.addAll(follower.open());
        return messages;
    }
}
