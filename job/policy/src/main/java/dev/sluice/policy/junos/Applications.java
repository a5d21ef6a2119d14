package dev.sluice.policy.junos;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.NearestWord;
import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Applications by name: those of the configuration, their sets, and those of Junos itself. */
final class Applications {
    private static final int MOST_PORT = 0xffff;
    private static final int MOST_BYTE = 0xff;
    private static final int MOST_NESTED = 32;

    /** Properties that tell nothing of a packet. */
    private static final Set<String> IDLE =
            Set.of(
                    "inactivity-timeout",
                    "application-protocol",
                    "alg",
                    "description",
                    "ttl-threshold",
                    "snmp-command",
                    "learn-sip-register",
                    "sip-call-hold-timeout");

    private static final Map<String, List<String>> BUILT_IN = builtIn();

    private final Config config;
    private final Map<String, Condition> known = new HashMap<>();

    Applications(Config config) {
        this.config = config;
    }

    /** Lines of the built-in ones by name; members of a set begin with =. */
    private static Map<String, List<String>> builtIn() {
        Map<String, List<String>> lines = new HashMap<>();
        try (InputStream in =
                Objects.requireNonNull(Applications.class.getResourceAsStream("applications"))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (String line : text.split("\n")) {
                if (!line.startsWith("#")) {
                    String[] words = line.split(" ", 2);
                    lines.computeIfAbsent(words[0], none -> new ArrayList<>())
                            .add(words.length > 1 ? words[1] : "");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lines;
    }

    /** The packets of an application or of a set. */
    Condition of(Statement name) {
        Condition before = known.get(name.word);
        if (before == null) {
            List<Condition> some = new ArrayList<>();
            add(name, new HashSet<>(), 0, some);
            before = Condition.any(some.toArray(Condition[]::new));
            known.put(name.word, before);
        }
        return before;
    }

    private void add(Statement name, Set<String> added, int depth, List<Condition> some) {
        if (!added.add(name.word)) {
            return;
        }
        Statement own = config.root().at("applications", "application", name.word);
        Statement set = config.root().at("applications", "application-set", name.word);
        try {
            if (own != null) {
                some.add(read(own));
            } else if (set == null) {
                some.add(builtIn(name, name.word));
            } else if (depth > MOST_NESTED) {
                throw name.refused("is a set within more than 32 others; nest fewer");
            } else {
                for (String kind : List.of("application", "application-set")) {
                    for (Statement member : set.children(kind)) {
                        add(member, added, depth + 1, some);
                    }
                }
            }
        } catch (JunosException e) {
            some.add(config.skipped(e));
        }
    }

    private Condition builtIn(Statement at, String name) throws JunosException {
        List<String> lines = BUILT_IN.get(name);
        if (lines == null) {
            String hint =
                    NearestWord.of(name, BUILT_IN.keySet().stream())
                            .map(word -> "; did you mean " + word + "?")
                            .orElse("; add applications");
            return config.unknown(
                    at.line, "the application %s is not in the file%s".formatted(name, hint));
        }
        List<Condition> some = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith("= ")) {
                for (String member : line.substring(2).split(" ")) {
                    some.add(builtIn(at, member));
                }
            } else {
                some.add(line.isEmpty() ? Condition.ALWAYS : built(at, name, line.split(" ")));
            }
        }
        return Condition.any(some.toArray(Condition[]::new));
    }

    private static Condition built(Statement at, String name, String[] words)
            throws JunosException {
        ValueSet protocol = value(at, words[0], Names.PROTOCOLS, MOST_BYTE);
        Condition of = new Condition.In(Field.IP_PROTO, protocol);
        if (words.length == 1) {
            return of;
        }
        if (words[1].equals("?")) {
            return all(of, new Condition.Unknown("application " + name));
        }
        boolean icmp = words[0].startsWith("icmp");
        ValueSet first = value(at, words[1], Map.of(), MOST_PORT);
        Condition asked = new Condition.In(icmp ? Field.SRC_PORT : Field.DST_PORT, first);
        return words.length == 2
                ? all(of, asked)
                : all(of, asked, is(Field.DST_PORT, Long.parseLong(words[2])));
    }

    private static ValueSet value(Statement at, String word, Map<String, Integer> names, int most)
            throws JunosException {
        return Numbers.range(new Statement(word, at.line, at.column), names, most);
    }

    private Condition read(Statement application) throws JunosException {
        List<Statement> terms = application.children("term");
        if (terms.isEmpty()) {
            return readTerm(application);
        }
        List<Condition> some = new ArrayList<>();
        for (Statement term : terms) {
            some.add(readTerm(term));
        }
        return Condition.any(some.toArray(Condition[]::new));
    }

    /** Reads properties, each a word and its value, on one line or on several. */
    private Condition readTerm(Statement term) throws JunosException {
        List<Condition> conditions = new ArrayList<>();
        Deque<Statement> left = new ArrayDeque<>(term.children());
        boolean ports = false;
        boolean protocol = false;
        while (!left.isEmpty()) {
            Statement property = left.pop();
            if (property.word.equals("term")) {
                continue;
            }
            for (Statement value : property.children()) {
                left.addAll(value.children());
                Condition condition = property(property, value);
                if (condition != null) {
                    conditions.add(condition);
                }
            }
            ports |= property.word.endsWith("-port");
            protocol |= property.word.equals("protocol");
        }
        if (ports && !protocol) {
            throw term.refused("has ports without a protocol; add protocol tcp or udp");
        }
        return new Condition.All(conditions);
    }

    private @Nullable Condition property(Statement property, Statement value)
            throws JunosException {
        return switch (property.word) {
            case "protocol" -> new Condition.In(Field.IP_PROTO, protocolNumber(value));
            case "source-port" ->
                    new Condition.In(Field.SRC_PORT, Numbers.range(value, Names.PORTS, MOST_PORT));
            case "destination-port" ->
                    new Condition.In(Field.DST_PORT, Numbers.range(value, Names.PORTS, MOST_PORT));
            case "icmp-type", "icmp6-type" ->
                    new Condition.In(
                            Field.SRC_PORT,
                            Numbers.range(
                                    value,
                                    Names.icmpTypes(property.word.startsWith("icmp6")),
                                    MOST_BYTE));
            case "icmp-code", "icmp6-code" ->
                    new Condition.In(
                            Field.DST_PORT,
                            Numbers.range(
                                    value,
                                    Names.icmpCodes(property.word.startsWith("icmp6")),
                                    MOST_BYTE));
            case "uuid", "rpc-program-number" ->
                    config.unknown(property.line, property.text() + ": no header tells it");
            default -> {
                if (IDLE.contains(property.word)) {
                    yield null;
                }
                throw property.refused("is a property of an application that cannot be read");
            }
        };
    }

    private static ValueSet protocolNumber(Statement value) throws JunosException {
        Map<String, Integer> names = new HashMap<>(NetworkNames.PROTOCOLS);
        names.putAll(Names.PROTOCOLS);
        return Numbers.range(value, names, MOST_BYTE);
    }
}
