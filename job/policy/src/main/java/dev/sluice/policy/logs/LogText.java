package dev.sluice.policy.logs;

import dev.sluice.policy.Literals;
import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parser of a line that Linux's netfilter logs: {@code IN=eth0 OUT= MAC=... SRC=10.0.0.1
 * DST=10.0.0.2 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=7 DF PROTO=TCP SPT=1024 DPT=22 ... SYN URGP=0}.
 *
 * <p>The packet inside an ICMP error stands in brackets and is left out. Of the field TOS the log
 * has no lowest bit, which counts as 0. A line that lacks words at its end is refused.
 */
public final class LogText {
    private static final int LONGEST_NAME = 15;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;
    private static final int SCTP = 132;
    private static final int DCCP = 33;
    private static final int UDPLITE = 136;
    private static final int MAC_TEXT = 17;
    private static final long MOST_16 = 0xffff;
    private static final List<String> FLAGS =
            List.of("FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR", "AE");

    private final Map<String, String> values = new HashMap<>();
    private final Set<String> words = new HashSet<>();
    private final int[] header = new int[HeaderWord.COUNT];

    /** True if the packet is too short for its transport header. */
    private boolean cut;

    /** True if further fragments of the datagram follow. */
    private boolean more;

    /** Offset of a fragment; -1: the packet is none. */
    private long offset = -1;

    /** True if the length of a UDP packet stands behind that of its IP packet. */
    private boolean secondLength;

    private LogText(String text) {
        boolean inside = false;
        String[] all = text.split(" ");
        for (int i = 0; i < all.length; i++) {
            String word = all[i];
            if (inside) {
                inside = !word.endsWith("]") || word.equals("bytes]");
            } else if (word.startsWith("[SRC=")) {
                inside = true;
            } else if (word.equals("INCOMPLETE")) {
                boolean length = i + 1 < all.length && all[i + 1].startsWith("[");
                cut |= length && !values.containsKey("TYPE"); // else its rest is too short
                more |= !length;
            } else {
                add(word);
            }
        }
    }

    private void add(String word) {
        int end = word.indexOf('=');
        int from = end + 1;
        if (end <= 0) {
            from = word.indexOf(':') + 1; // FRAG:8
            end = from;
        }
        if (end <= 0) {
            words.add(word);
            return;
        }
        String before = values.putIfAbsent(word.substring(0, end), word.substring(from));
        secondLength |= before != null && word.startsWith("LEN=");
    }

    /**
     * Parses a line.
     *
     * @return null: the line is no packet that netfilter logged
     * @throws LogLineException if the packet cannot be judged
     */
    public static @Nullable LoggedPacket parse(String line) throws LogLineException {
        int at = start(line);
        return at < 0 ? null : new LogText(line.substring(at)).packet(line.substring(0, at));
    }

    /** The place of the interfaces, which a prefix may seem to have, too. */
    private static int start(String line) {
        int at = line.lastIndexOf("IN=");
        while (at >= 0) {
            int blank = at + 3;
            while (blank < line.length()
                    && blank <= at + 3 + LONGEST_NAME
                    && line.charAt(blank) != ' ') {
                blank++;
            }
            if (line.startsWith(" OUT=", blank)) {
                return at;
            }
            at = at == 0 ? -1 : line.lastIndexOf("IN=", at - 1);
        }
        return -1;
    }

    private LoggedPacket packet(String before) throws LogLineException {
        if (words.contains("ARP")) {
            throw new LogLineException("is of ARP, which rules of IP do not see");
        }
        String source = need("SRC");
        boolean six = source.indexOf(':') >= 0;
        Field.IP_VERSION.put(header, six ? Field.VERSION_6 : Field.VERSION_4);
        Field.ETH_TYPE.put(header, six ? 0x86dd : 0x0800);
        address(six ? Field.IPV6_SRC : Field.IPV4_SRC, source);
        address(six ? Field.IPV6_DST : Field.IPV4_DST, need("DST"));
        Field.IP_LENGTH.put(header, (int) number("LEN", MOST_16 + 40, 10) & 0xffff);
        if (six) {
            Field.TOS.put(header, (int) number("TC", 0xff, 10));
            Field.TTL.put(header, (int) number("HOPLIMIT", 0xff, 10));
        } else {
            Field.TOS.put(header, (int) (number("TOS", 0xff, 16) | number("PREC", 0xff, 16)));
            Field.TTL.put(header, (int) number("TTL", 0xff, 10));
            Field.IP_ID.put(header, (int) number("ID", MOST_16, 10));
        }
        if (values.containsKey("FRAG:")) {
            offset = number("FRAG:", MOST_16, 10);
        }
        if (values.containsKey("ID:")) {
            Field.IP_ID.put(header, (int) number("ID:", 0xffffffffL, 16));
        }
        more |= words.contains("MF");
        boolean later = offset > 0;
        Field.FRAGMENT.put(
                header,
                later ? Field.FRAGMENT_LATER : more ? Field.FRAGMENT_FIRST : Field.FRAGMENT_NONE);
        int protocol = protocol();
        Field.IP_PROTO.put(header, protocol);
        if (!later && !cut) {
            transport(protocol, six);
        }
        frame();
        Field.MARK.put(
                header, values.containsKey("MARK") ? (int) number("MARK", 0xffffffffL, 16) : 0);
        boolean hidden = (protocol == SCTP || protocol == DCCP) && !later;
        return new LoggedPacket(
                before,
                "",
                need("IN"),
                need("OUT"),
                header,
                hidden ? "the log names no ports of protocol " + protocol : "");
    }

    private void transport(int protocol, boolean six) throws LogLineException {
        if (protocol == TCP || protocol == UDP || protocol == UDPLITE) {
            Field.SRC_PORT.put(header, (int) number("SPT", MOST_16, 10));
            Field.DST_PORT.put(header, (int) number("DPT", MOST_16, 10));
            if (protocol == TCP ? !values.containsKey("URGP") : !secondLength) {
                throw cutShort(protocol == TCP ? "URGP" : "LEN");
            }
        }
        if (protocol == TCP) {
            int flags = (int) number("RES", 0xff, 16) >> 2 << 8;
            for (int bit = 0; bit < FLAGS.size(); bit++) {
                flags |= words.contains(FLAGS.get(bit)) ? 1 << bit : 0;
            }
            Field.TCP_FLAGS.put(header, flags);
        }
        if (protocol == (six ? ICMP6 : ICMP)) {
            Field.SRC_PORT.put(header, (int) number("TYPE", 0xff, 10));
            Field.DST_PORT.put(header, (int) number("CODE", 0xff, 10));
        }
        if (values.containsKey("SPI")) {
            Field.SPI.put(header, (int) number("SPI", 0xffffffffL, 16));
        }
    }

    /** The number of the protocol; of IPv6 the log does not look behind ESP. */
    private int protocol() throws LogLineException {
        String name = values.get("PROTO");
        if (name == null) {
            throw new LogLineException(
                    "names no protocol (PROTO=), as of a line that is cut short or of ESP over IPv6");
        }
        Integer known = NetworkNames.PROTOCOLS.get(name.toLowerCase(Locale.ROOT));
        return known != null && known > 0 ? known : (int) number("PROTO", 0xff, 10);
    }

    private void frame() throws LogLineException {
        String mac = values.getOrDefault("MAC", "");
        boolean ethernet = mac.length() == 3 * 14 - 1;
        String source =
                ethernet ? mac.substring(MAC_TEXT + 1, 2 * MAC_TEXT + 1) : values.get("MACSRC");
        String destination = ethernet ? mac.substring(0, MAC_TEXT) : values.get("MACDST");
        if (source == null || destination == null) {
            return;
        }
        try {
            FieldBits.orMac(header, Field.ETH_SRC, Literals.mac(source, 1));
            FieldBits.orMac(header, Field.ETH_DST, Literals.mac(destination, 1));
        } catch (RuleSyntaxException e) {
            throw new LogLineException("MAC=" + shown(mac) + " is no Ethernet header");
        }
        Field.ETH_SRC.markPresent(header);
        Field.ETH_DST.markPresent(header);
    }

    private void address(Field field, String text) throws LogLineException {
        try {
            if (field.bits() == 32) {
                Field.IP_VERSION.markPresent(header);
                field.put(header, Literals.ipv4(text, 1));
            } else {
                FieldBits.orIpv6(header, field, Literals.ipv6(text, 1));
            }
        } catch (RuleSyntaxException e) {
            throw new LogLineException(shown(text) + " is no address of one IP version");
        }
    }

    private String need(String key) throws LogLineException {
        String value = values.get(key);
        if (value == null) {
            throw cutShort(key);
        }
        return value;
    }

    private static LogLineException cutShort(String key) {
        return new LogLineException("lacks " + key + "=, as a line that is cut short");
    }

    private long number(String key, long most, int radix) throws LogLineException {
        String text = need(key);
        String digits = radix == 16 && text.startsWith("0x") ? text.substring(2) : text;
        long number = digits.isEmpty() || digits.length() > 10 ? -1 : 0;
        for (int i = 0; i < digits.length() && number >= 0; i++) {
            int digit = Character.digit(digits.charAt(i), radix);
            number = digit < 0 || digits.charAt(i) > 'f' ? -1 : number * radix + digit;
        }
        if (number < 0 || number > most) {
            throw new LogLineException(
                    "%s=%s is no number up to %d".formatted(key, shown(text), most));
        }
        return number;
    }

    private static String shown(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "...";
    }
}
