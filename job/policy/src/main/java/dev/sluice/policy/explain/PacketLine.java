package dev.sluice.policy.explain;

import dev.sluice.policy.Literals;
import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.questions.PacketWords;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldText;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reader of packets in words, as {@link PacketWords} prints them and as people write them.
 *
 * <pre>
 * packet   = ( PROTOCOL | "protocol" NUMBER ) end ( "&gt;" | "to" ) end { fact }
 *          | ( "arp" | "ethertype" NUMBER ) { fact }
 * end      = ADDRESS [ ":" PORT ]                        IPv6 in brackets where a port follows
 * fact     = "in" NAME | "out" NAME | FLAG { "," FLAG } | "no-flags" | "type" N | "code" N
 *          | "first-fragment" | "later-fragment" | "ttl" N | "length" N | "dscp" N | "mac" MAC | "mark" N
 *          | "new" | "established" | "untracked" | FIELD VALUE
 * </pre>
 *
 * <p>A packet that does not say so has source port 50000, TTL 64, 60 bytes, of TCP the flag SYN, or
 * ACK in a connection, and is an echo request of ICMP; its interfaces are unknown. {@code in other}
 * is an interface that no rule names. A fact stands once.
 */
public final class PacketLine {
    /** A packet, for messages. */
    public static final String EXAMPLE = "tcp 10.0.0.1:1234 > 10.1.0.2:443 in eth0 syn";

    private static final Pattern WORD = Pattern.compile("\\S+");
    private static final Pattern PORT = Pattern.compile("(.*):([0-9]+)");
    private static final Pattern BRACKETS = Pattern.compile("\\[(.*)](?::([0-9]+))?");
    private static final int MOST_PORT = 0xffff;
    private static final int MOST_TYPE = 0xff;
    private static final int ARP = 0x0806;

    /** Names that people use for fields, beside the labels. */
    private static final Map<String, Field> SHORT =
            Map.of(
                    "mac", Field.ETH_SRC,
                    "tos", Field.TOS,
                    "mark", Field.MARK,
                    "vlan", Field.VLAN_ID,
                    "ttl", Field.TTL,
                    "length", Field.IP_LENGTH,
                    "type", Field.SRC_PORT,
                    "code", Field.DST_PORT);

    private final AskedFacts asked;
    private final Matcher words;
    private final int[] header = new int[HeaderWord.COUNT];
    private String word = "";
    private String in = "";
    private String out = "";
    private int column;
    private boolean ports;
    private final Set<Field> said = new HashSet<>();
    private @Nullable ConnectionState state;

    private PacketLine(String text, AskedFacts asked) {
        this.asked = asked;
        words = WORD.matcher(text);
    }

    /**
     * Reads a packet.
     *
     * @param asked the numbers of interfaces
     * @throws SluiceException naming the column and the word that is wrong, with a remedy
     */
    public static JudgedPacket read(String text, AskedFacts asked) {
        try {
            return new PacketLine(text, asked).read();
        } catch (RuleSyntaxException e) {
            throw new SluiceException(
                    "packet, column %d: %s, as in %s"
                            .formatted(e.column(), e.getMessage(), EXAMPLE),
                    e);
        }
    }

    private JudgedPacket read() throws RuleSyntaxException {
        if (!next()) {
            throw new RuleSyntaxException(
                    1, "", "holds no packet; write its protocol, source and destination");
        }
        if (word.equals("arp") || word.equals("ethertype")) {
            Field.ETH_TYPE.put(header, word.equals("arp") ? ARP : number("EtherType", MOST_PORT));
        } else {
            readIp();
        }
        while (next()) {
            fact();
        }
        finish();
        return new JudgedPacket(header, state, in, out);
    }

    /** Takes the next word; false: there is none. */
    private boolean next() {
        boolean found = words.find();
        column = 1 + (found ? words.start() : words.regionEnd());
        word = found ? words.group() : "";
        return found;
    }

    private RuleSyntaxException wrong(String problem) {
        return new RuleSyntaxException(column, word, problem);
    }

    private void require(String what) throws RuleSyntaxException {
        if (!next()) {
            throw wrong("the packet ends here; write " + what);
        }
    }

    private int number(String what, int most) throws RuleSyntaxException {
        require("the " + what);
        return (int) Literals.number(word, column, most);
    }

    private void readIp() throws RuleSyntaxException {
        int protocol = protocol();
        require("the source");
        String source = word;
        int at = column;
        require("> and the destination");
        if (!word.equals(">") && !word.equals("to") && !word.equals("->")) {
            throw wrong("write > or to between source and destination");
        }
        require("the destination");
        boolean v6 = address(source).indexOf(':') >= 0;
        HeaderFields.setVersion(header, v6 ? Field.VERSION_6 : Field.VERSION_4);
        Field.IP_VERSION.put(header, v6 ? Field.VERSION_6 : Field.VERSION_4);
        Field.IP_PROTO.put(header, protocol);
        boolean to = end(word, column, v6, v6 ? Field.IPV6_DST : Field.IPV4_DST, Field.DST_PORT);
        boolean from = end(source, at, v6, v6 ? Field.IPV6_SRC : Field.IPV4_SRC, Field.SRC_PORT);
        if (from && !to) {
            throw wrong("has no port, and the source has one; write the destination's, too");
        }
        ports = to;
        if (to && !from) {
            Field.SRC_PORT.put(header, HeaderFields.USUAL_SOURCE_PORT);
        }
    }

    private int protocol() throws RuleSyntaxException {
        if (word.equals("protocol")) {
            return number("number of the protocol", 0xff);
        }
        Integer known = NetworkNames.PROTOCOLS.get(word);
        if (known == null || known == 0) {
            throw wrong(
                    "is no protocol that Sluice knows by name; write tcp, udp, icmp, icmpv6 or another name, or protocol and its number");
        }
        return known;
    }

    private static String address(String end) {
        Matcher brackets = BRACKETS.matcher(end);
        Matcher port = PORT.matcher(end);
        boolean v4 = port.matches() && port.group(1).indexOf(':') < 0;
        return brackets.matches() ? brackets.group(1) : v4 ? port.group(1) : end;
    }

    /** Reads an end of the packet; whether it has a port. */
    private boolean end(String end, int at, boolean v6, Field field, Field port)
            throws RuleSyntaxException {
        String address = address(end);
        boolean six = address.indexOf(':') >= 0;
        if (six != v6) {
            throw new RuleSyntaxException(
                    at, end, "source and destination are of one IP version; write both so");
        }
        int shift = at + end.indexOf(address);
        if (v6) {
            byte[] bytes = Literals.ipv6(address, shift);
            HeaderFields.put(header, field, new BigInteger(1, bytes));
        } else {
            field.put(header, Literals.ipv4(address, shift));
        }
        int from = end.lastIndexOf(':');
        boolean has = end.startsWith("[") ? end.indexOf("]:") > 0 : !six && from > 0;
        if (has) {
            long number = Literals.number(end.substring(from + 1), at + from + 1, MOST_PORT);
            port.put(header, (int) number);
        }
        return has;
    }

    private void fact() throws RuleSyntaxException {
        switch (word) {
            case "in" -> interfaceOf(Field.IN_INTERFACE);
            case "out" -> interfaceOf(Field.OUT_INTERFACE);
            case "first-fragment" -> once(Field.FRAGMENT).put(header, Field.FRAGMENT_FIRST);
            case "later-fragment" -> once(Field.FRAGMENT).put(header, Field.FRAGMENT_LATER);
            case "dscp" -> once(Field.TOS).put(header, number("DSCP", 0x3f) << 2);
            case "new" -> state(ConnectionState.NEW);
            case "established" -> state(ConnectionState.ESTABLISHED);
            case "untracked" -> state(ConnectionState.UNTRACKED);
            case "?" -> requireLast();
            default -> other();
        }
    }

    /** Notes that the packet says a fact, and refuses a second value of it. */
    private Field once(Field field) throws RuleSyntaxException {
        if (!said.add(field)) {
            String name = FieldWords.name(field, PacketWords.isIcmp(header));
            throw wrong("says the %s a second time; leave one of them out".formatted(name));
        }
        return field;
    }

    private void state(ConnectionState is) throws RuleSyntaxException {
        once(Field.CONNECTION_STATE);
        state = is;
    }

    /** The sign by which lint says that something unknown may keep the packet away. */
    private void requireLast() throws RuleSyntaxException {
        if (next()) {
            throw wrong("stands behind the packet's end; leave it out");
        }
    }

    private void interfaceOf(Field field) throws RuleSyntaxException {
        once(field);
        require("the name of an interface");
        in = field.equals(Field.IN_INTERFACE) ? word : in;
        out = field.equals(Field.OUT_INTERFACE) ? word : out;
        boolean other = word.equals(PacketWords.OTHER) && !asked.interfaces().contains(word);
        field.put(header, other ? AskedFacts.OF_NO_NAME : asked.value(word, true));
    }

    private void other() throws RuleSyntaxException {
        if (word.equals(PacketWords.NO_FLAGS) || isFlags()) {
            once(Field.TCP_FLAGS).put(header, tcpFlags());
            return;
        }
        Field named =
                PacketWords.OTHERS.stream()
                        .filter(field -> field.label().equals(word))
                        .findFirst()
                        .orElse(SHORT.get(word));
        if (named == null) {
            throw wrong(
                    "is nothing that Sluice knows of packets; write in NAME, out NAME, flags such as syn,ack, type N, ttl N, length N, dscp N, mac ADDRESS, mark N, later-fragment, new, established, or the label of a field");
        }
        if (named.word() == HeaderWord.PORTS && !PacketWords.isIcmp(header)) {
            throw wrong("is of ICMP; write ports behind addresses");
        }
        String label = word;
        once(named);
        require("the value of " + label);
        if (named.text() == FieldText.MAC) {
            HeaderFields.put(header, named, BigInteger.valueOf(Literals.mac(word, column)));
        } else if (named.text() == FieldText.ADDRESS) {
            named.put(header, Literals.ipv4(word, column));
        } else {
            boolean ofIcmp = named.word() == HeaderWord.PORTS;
            long most = ofIcmp ? MOST_TYPE : -1L >>> Long.SIZE - named.bits();
            named.put(header, (int) Literals.number(word, column, most));
            ports |= ofIcmp;
        }
    }

    private boolean isFlags() {
        return Arrays.stream(word.split(",", -1))
                .allMatch(
                        flag ->
                                NetworkNames.TCP_FLAGS.contains(flag)
                                        || flag.matches("bit(9|10|11)"));
    }

    private int tcpFlags() {
        int bits = 0;
        for (String flag :
                word.equals(PacketWords.NO_FLAGS) ? new String[0] : word.split(",", -1)) {
            int bit = NetworkNames.TCP_FLAGS.indexOf(flag);
            bits |= 1 << (bit < 0 ? Integer.parseInt(flag.substring(3)) : bit);
        }
        return bits;
    }

    /** Adds what an ordinary packet has, and refuses what no packet can have. */
    private void finish() throws RuleSyntaxException {
        int protocol = HeaderFields.of(header, Field.IP_PROTO);
        boolean ip = HeaderFields.of(header, Field.IP_VERSION) != Field.VERSION_NONE;
        boolean later = HeaderFields.of(header, Field.FRAGMENT) == Field.FRAGMENT_LATER;
        boolean fragment = HeaderFields.of(header, Field.FRAGMENT) != Field.FRAGMENT_NONE;
        if (later && ports) {
            throw wrong("a later fragment has no ports; leave them out");
        }
        boolean has = ip && NetworkNames.WITH_PORTS.contains(protocol) && !later;
        if (has && !ports) {
            throw wrong("the ports are missing; write them behind the addresses");
        }
        boolean flags = said.contains(Field.TCP_FLAGS);
        if (flags && (protocol != HeaderFields.TCP || later)) {
            throw wrong("only TCP has flags, which a later fragment does not show; leave them out");
        }
        if (ip && HeaderFields.isIcmp(header) && !ports && !later) {
            HeaderFields.set(header, Field.IP_PROTO, BigInteger.valueOf(protocol));
        }
        if (has && protocol == HeaderFields.TCP && !flags) {
            boolean first = state != ConnectionState.ESTABLISHED;
            Field.TCP_FLAGS.put(header, first ? HeaderFields.SYN : HeaderFields.ACK);
        }
        boolean v6 = HeaderFields.of(header, Field.IP_VERSION) == Field.VERSION_6;
        if (v6 && fragment && !said.contains(Field.IPV6_EXTENSIONS)) {
            Field.IPV6_EXTENSIONS.put(header, Field.EXTENSION_FRAGMENT);
        }
    }
}
