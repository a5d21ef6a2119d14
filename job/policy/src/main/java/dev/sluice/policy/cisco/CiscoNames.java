package dev.sluice.policy.cisco;

import dev.sluice.policy.NearestWord;
import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** CiscoNames of protocols, ports, ICMP types and code points: the resource {@code names.txt}. */
final class CiscoNames {
    static final int TCP = 6;
    static final int UDP = 17;
    static final int ICMP = 1;
    static final int ICMP6 = 58;

    private static final int MOST_PORT = 0xffff;
    private static final int MOST_BYTE = 0xff;

    /**
     * Numbers by kind, a blank, name and, where one dialect alone has them, another blank and it.
     */
    private static final Map<String, List<Integer>> NUMBERS = read();

    private CiscoNames() {}

    private static Map<String, List<Integer>> read() {
        Map<String, List<Integer>> numbers = new HashMap<>();
        try (InputStream in =
                        Objects.requireNonNull(CiscoNames.class.getResourceAsStream("names.txt"));
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ");
                if (line.startsWith("#")) {
                    continue;
                }
                boolean code = words.length > 3 && Character.isDigit(words[3].charAt(0));
                String dialect = words.length > 3 && !code ? " " + words[3] : "";
                numbers.put(
                        words[0] + " " + words[1] + dialect,
                        code
                                ? List.of(Integer.valueOf(words[2]), Integer.valueOf(words[3]))
                                : List.of(Integer.valueOf(words[2])));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Map.copyOf(numbers);
    }

    private static @Nullable List<Integer> find(String kind, String name, CiscoDialect dialect) {
        List<Integer> own =
                NUMBERS.get(kind + " " + name + " " + dialect.name().toLowerCase(Locale.ROOT));
        return own != null ? own : NUMBERS.get(kind + " " + name);
    }

    /** Number of a name of a kind, or of a number; the next word. */
    static int number(String kind, LineWords words, CiscoDialect dialect, int most)
            throws RuleSyntaxException {
        if (words.isNumber()) {
            return words.number(most);
        }
        String name = words.next("a " + kind).toLowerCase(Locale.ROOT);
        List<Integer> known = find(kind, name, dialect);
        if (known == null) {
            throw words.refused(
                    "is no %s that is known here%s; write its number"
                            .formatted(kind, meant(kind, name)),
                    kind + " " + name);
        }
        return known.get(0);
    }

    private static String meant(String kind, String name) {
        return NearestWord.of(
                        name,
                        NUMBERS.keySet().stream()
                                .filter(one -> one.startsWith(kind + " "))
                                .map(one -> one.split(" ")[1]))
                .map(word -> " (" + word + "?)")
                .orElse("");
    }

    /** The number of an IP protocol; the next word. */
    static int protocol(LineWords words, boolean v6) throws RuleSyntaxException {
        if (words.take("icmp")) {
            return v6 ? ICMP6 : ICMP;
        }
        return number("protocol", words, CiscoDialect.IOS, MOST_BYTE);
    }

    /** Returns whether the next word is a protocol by name or number, other than IP itself. */
    static boolean isProtocol(LineWords words) {
        return words.isNumber()
                || words.peek().equals("icmp")
                || NUMBERS.containsKey("protocol " + words.peek());
    }

    /** Returns whether the next word is a port, by name or number. */
    static boolean isPort(LineWords words, int protocol, CiscoDialect dialect) {
        return words.isNumber() || port(words.peek(), protocol, dialect) >= 0;
    }

    private static int port(String name, int protocol, CiscoDialect dialect) {
        boolean tcp = protocol != UDP;
        for (String kind : tcp ? List.of("tcp", "udp") : List.of("udp", "tcp")) {
            List<Integer> known = find(kind, name, dialect);
            if (known != null && (kind.equals("tcp") == tcp || protocol < 0 || !clash(name))) {
                return known.get(0);
            }
        }
        return NetworkNames.SERVICES.getOrDefault(name, -1);
    }

    /** Returns whether TCP and UDP give a name to two ports. */
    private static boolean clash(String name) {
        List<Integer> tcp = NUMBERS.get("tcp " + name);
        List<Integer> udp = NUMBERS.get("udp " + name);
        return tcp != null && udp != null && !tcp.equals(udp);
    }

    /** A port by name or number; the next word. */
    static int port(LineWords words, int protocol, CiscoDialect dialect)
            throws RuleSyntaxException {
        if (words.isNumber()) {
            return words.number(MOST_PORT);
        }
        String name = words.next("a port").toLowerCase(Locale.ROOT);
        int known = port(name, protocol, dialect);
        if (known < 0) {
            String kind = protocol == UDP ? "udp" : "tcp";
            throw words.refused(
                    "is no port that is known here%s; write its number"
                            .formatted(meant(kind, name)),
                    "port " + name);
        }
        return known;
    }

    /** A type of ICMP, with a code where one follows; null: the next word is none. */
    static @Nullable Condition icmp(LineWords words, boolean v6) throws RuleSyntaxException {
        List<Integer> named = NUMBERS.get((v6 ? "icmp6 " : "icmp ") + words.peek());
        if (named == null && !words.isNumber()) {
            return null;
        }
        int type = named != null ? named.get(0) : words.number(MOST_BYTE);
        words.skip(named != null ? 1 : 0);
        int code = named != null && named.size() > 1 ? named.get(1) : -1;
        if (code < 0 && words.isNumber()) {
            code = words.number(MOST_BYTE);
        }
        return icmp(type, code);
    }

    /** A type of ICMP, of one code unless that is negative. */
    static Condition icmp(int type, int code) {
        Condition of = new Condition.In(Field.SRC_PORT, ValueSet.of(type));
        return code < 0
                ? of
                : Condition.all(of, new Condition.In(Field.DST_PORT, ValueSet.of(code)));
    }

    /** Bits of a TCP flag; 0: the name is none. */
    static int flag(String name) {
        return NUMBERS.getOrDefault("flag " + name, List.of(0)).get(0);
    }
}
