package dev.sluice.job.lab.corridor;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** An IPv4 rule as the eleven numbers that one would broadcast: its place, then what it asks. */
final class PlainRule {
    private static final int NUMBERS = 11;

    private PlainRule() {}

    /** The first rules of a list, in their order, as messages. */
    static List<byte[]> first(List<Rule> rules, int count) {
        List<byte[]> messages = new ArrayList<>();
        for (int i = 0; i < Math.min(count, rules.size()); i++) {
            Match match = rules.get(i).match();
            ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * NUMBERS);
            int value = match.value(HeaderWord.PORTS);
            int mask = match.mask(HeaderWord.PORTS);
            bytes.putInt(i)
                    .putInt(match.value(HeaderWord.IPV4_SRC))
                    .putInt(match.mask(HeaderWord.IPV4_SRC))
                    .putInt(match.value(HeaderWord.IPV4_DST))
                    .putInt(match.mask(HeaderWord.IPV4_DST));
            putPorts(bytes, match.srcPorts(), value >>> 16, mask >>> 16);
            putPorts(bytes, match.dstPorts(), value & 0xffff, mask & 0xffff);
            bytes.putInt(Field.IP_PROTO.extract(match.value(HeaderWord.IP)))
                    .putInt(Field.IP_PROTO.extract(match.mask(HeaderWord.IP)));
            messages.add(bytes.array());
        }
        return messages;
    }

    /**
     * The lowest and the highest port: a rule has them as a range, or as a value under a prefix.
     */
    private static void putPorts(ByteBuffer to, int range, int value, int mask) {
        to.putInt(Math.max(range >>> Match.RANGE_LOW_SHIFT, value));
        to.putInt(Math.min(range & Match.RANGE_HIGH, value | ~mask & 0xffff));
    }

    /** The numbers of a message. */
    static int[] of(byte[] message) {
        int[] numbers = new int[NUMBERS];
        ByteBuffer.wrap(message).asIntBuffer().get(numbers);
        return numbers;
    }

    /** Whether a packet meets a rule. */
    static boolean matches(int[] rule, PlainPacket packet) {
        return (packet.source & rule[2]) == rule[1]
                && (packet.destination & rule[4]) == rule[3]
                && packet.sourcePort >= rule[5]
                && packet.sourcePort <= rule[6]
                && packet.destinationPort >= rule[7]
                && packet.destinationPort <= rule[8]
                && (packet.protocol & rule[10]) == rule[9];
    }
}
