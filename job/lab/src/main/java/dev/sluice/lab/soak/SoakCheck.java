package dev.sluice.lab.soak;

import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.VerdictBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a job has committed with what it should say: of each packet one verdict, that of
 * the first rule that matches among the rules of the version which the verdict names; packets and
 * versions of a flow shard in their order; one dead letter for each message that is no block.
 * Memory: a bit a packet.
 *
 * <p>One thread takes, any may ask.
 */
final class SoakCheck {
    private static final int MOST_MISSES = 20;

    private final LongFunction<@Nullable RuleSet> versions;
    private final BitSet answered = new BitSet();
    private final BitSet letters = new BitSet();
    private final long[] lastPacket = new long[NumberedPackets.SHARDS];
    private final long[] lastVersion = new long[NumberedPackets.SHARDS];
    private final List<String> misses = new ArrayList<>();
    private long missed;
    private long verdicts;
    private long newest;
    private long newestVersion;
    private int lettersCount;

    /**
     * A check.
     *
     * @param versions the rules of each version; null of one that was not published
     */
    SoakCheck(LongFunction<@Nullable RuleSet> versions) {
        this.versions = versions;
        Arrays.fill(lastPacket, -1);
    }

    /** Takes verdicts in the order in which they were committed. */
    synchronized void take(VerdictBlock block) {
        for (int i = 0; i < block.count(); i++) {
            take(block.shard(), block.packets().get(i), block.versionOf(i), block.ruleId(i));
        }
    }

    /**
     * Takes the next verdict of a flow shard.
     *
     * @param rule null: none matched
     */
    synchronized void take(int shard, long packet, long version, @Nullable Long rule) {
        verdicts++;
        if (packet < 1
                || packet > Integer.MAX_VALUE
                || shard != NumberedPackets.shard((packet - 1) / NumberedPackets.BLOCK)) {
            miss(
                    "a verdict on packet %d of flow shard %d, which was not sent"
                            .formatted(packet, shard));
            return;
        }
        if (answered.get((int) packet)) {
            miss("packet %d has two verdicts".formatted(packet));
            return;
        }
        answered.set((int) packet);
        newest = Math.max(newest, packet);
        if (packet < lastPacket[shard]) {
            miss(
                    "packet %d comes behind packet %d of its flow shard"
                            .formatted(packet, lastPacket[shard]));
        }
        if (version < lastVersion[shard]) {
            miss(
                    "packet %d is judged by version %d, and one before it by version %d"
                            .formatted(packet, version, lastVersion[shard]));
        }
        lastPacket[shard] = packet;
        lastVersion[shard] = version;
        newestVersion = Math.max(newestVersion, version);
        compare(packet, version, rule);
    }

    private void compare(long packet, long version, @Nullable Long rule) {
        RuleSet rules = versions.apply(version);
        if (rules == null) {
            miss(
                    "packet %d is judged by version %d, which was not published"
                            .formatted(packet, version));
            return;
        }
        Long expected = FirstMatch.ruleId(rules, NumberedPackets.header(packet));
        if (!Objects.equals(expected, rule)) {
            miss(
                    "packet %d has rule %s by version %d, and the reference says %s"
                            .formatted(packet, words(rule), version, words(expected)));
        }
    }

    private static String words(@Nullable Long rule) {
        return rule == null ? "none" : rule.toString();
    }

    /** Takes a dead letter. */
    synchronized void take(DeadLetter letter) {
        DeadLetter.Message message = letter.message();
        long number = message == null ? -1 : NumberedPackets.garbageNumber(message.payload());
        lettersCount++;
        if (number < 0 || number > Integer.MAX_VALUE) {
            miss(
                    "a dead letter on what is no garbage: %s, %s"
                            .formatted(letter.reason(), letter.detail()));
        } else if (letters.get((int) number)) {
            miss("garbage message %d has two dead letters".formatted(number));
        } else {
            letters.set((int) number);
        }
    }

    private void miss(String text) {
        missed++;
        if (misses.size() < MOST_MISSES) {
            misses.add(text);
        }
    }

    /** The oldest version that a shard may still be judged by; 0: one has no verdict yet. */
    synchronized long oldestVersion() {
        return Arrays.stream(lastVersion).min().orElse(0);
    }

    /** Verdicts so far. */
    synchronized long verdicts() {
        return verdicts;
    }

    /** Dead letters so far. */
    synchronized int deadLetters() {
        return lettersCount;
    }

    /** The largest number of a packet with a verdict. */
    synchronized long newest() {
        return newest;
    }

    /** The newest version that a packet was judged by. */
    synchronized long newestVersion() {
        return newestVersion;
    }

    /** Number of things that were not as they should be. */
    synchronized long missed() {
        return missed;
    }

    /** The first things that were not as they should be. */
    synchronized List<String> misses() {
        return List.copyOf(misses);
    }

    /** Tells whether all of that is answered. */
    synchronized boolean isComplete(long packets, long garbage) {
        return answered.nextClearBit(1) > packets && letters.nextClearBit(0) >= garbage;
    }

    /**
     * All is there that will be: what lacks is lost.
     *
     * @param packets that were sent, numbered from 1 on
     * @param garbage messages that are no blocks, numbered from 0 on
     */
    synchronized void end(long packets, long garbage) {
        for (int p = answered.nextClearBit(1); p <= packets; p = answered.nextClearBit(p + 1)) {
            miss("packet %d has no verdict".formatted(p));
        }
        for (int g = letters.nextClearBit(0); g < garbage; g = letters.nextClearBit(g + 1)) {
            miss("garbage message %d has no dead letter".formatted(g));
        }
        if (newest > packets) {
            miss("packet %d has a verdict, and was not sent".formatted(newest));
        }
    }
}
