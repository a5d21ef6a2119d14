package dev.sluice.job.report;

import dev.sluice.policy.questions.PacketWords;
import org.jspecify.annotations.Nullable;

/** Services of packets as numbers: protocol with destination port, or with type of ICMP. */
final class Service {
    /** Service that is not asked for. */
    static final int NONE = -2;

    private static final int NOT_IP = -1;
    private static final int PORT = 1 << 16;

    private Service() {}

    /** The number of a packet's service; null: the packet lacks protocol or ports. */
    static int code(@Nullable Object protocol, @Nullable Object source, @Nullable Object to) {
        if (!(protocol instanceof Integer number)) {
            return NOT_IP;
        }
        Object port = isIcmp(number) ? source : to;
        return number << 17 | (port instanceof Integer known ? PORT | known & 0xffff : 0);
    }

    private static boolean isIcmp(int protocol) {
        return protocol == 1 || protocol == 58;
    }

    /** A service in words: {@code 443/tcp}, {@code icmp type 8}, {@code gre}. */
    static String words(int code) {
        if (code < 0) {
            return code == NONE ? "" : "not IP";
        }
        int protocol = code >>> 17;
        String name = PacketWords.protocol(protocol);
        int port = code & 0xffff;
        if ((code & PORT) == 0) {
            return name;
        }
        return isIcmp(protocol) ? name + " type " + port : port + "/" + name;
    }
}
