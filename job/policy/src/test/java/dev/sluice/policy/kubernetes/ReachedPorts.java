package dev.sluice.policy.kubernetes;

import java.util.BitSet;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Set of ports of TCP, UDP and SCTP, in the words of np-guard's connection lists. */
final class ReachedPorts {
    /** Most number of a port; lists know no port 0. */
    static final int MOST = 0xffff;

    private static final int PROTOCOL_BITS = 16;
    private static final Pattern WORD =
            Pattern.compile("(?:(TCP|UDP|SCTP)[ :]*)?\\[?(?:(\\d+)(?:-(\\d+))?)?]?");

    private ReachedPorts() {}

    /** The ports of all protocols. */
    static BitSet all() {
        BitSet ports = new BitSet();
        for (Protocol protocol : Protocol.values()) {
            add(ports, protocol, 1, MOST);
        }
        return ports;
    }

    /** Adds ports of a protocol. */
    static void add(BitSet ports, Protocol protocol, int low, int high) {
        int base = protocol.ordinal() << PROTOCOL_BITS;
        ports.set(base + low, base + high + 1);
    }

    /**
     * Reads words such as {@code TCP 80,8080-8090,UDP 53}, {@code TCP:[80], UDP}, or those for all
     * ports.
     */
    static BitSet of(String words) {
        if (words.equals("All Connections")) {
            return all();
        }
        BitSet ports = new BitSet();
        Protocol protocol = null;
        for (String word : words.split(", *")) {
            Matcher matcher = WORD.matcher(word);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("'" + word + "' in '" + words + "'");
            }
            protocol = matcher.group(1) == null ? protocol : Protocol.valueOf(matcher.group(1));
            if (protocol == null) {
                throw new IllegalArgumentException("'" + words + "' begins with no protocol");
            }
            String low = matcher.group(2);
            String high = matcher.group(3);
            int first = low == null ? 1 : Integer.parseInt(low);
            int last = low == null ? MOST : high == null ? first : Integer.parseInt(high);
            add(ports, protocol, first, last);
        }
        return ports;
    }

    /** Reads the word of a file's name, as {@code tcp-80}. */
    static BitSet ofName(String word) {
        return of(word.toUpperCase(Locale.ROOT).replace('-', ' '));
    }

    /** Writes the ports in the words of the lists. */
    static String words(BitSet ports) {
        StringBuilder words = new StringBuilder();
        for (int low = ports.nextSetBit(0); low >= 0; ) {
            int high = ports.nextClearBit(low) - 1;
            words.append(words.isEmpty() ? "" : ",")
                    .append(Protocol.values()[low >> PROTOCOL_BITS])
                    .append(' ')
                    .append(low & MOST)
                    .append('-')
                    .append(high & MOST);
            low = ports.nextSetBit(high + 1);
        }
        return words.isEmpty() ? "nothing" : words.toString();
    }
}
