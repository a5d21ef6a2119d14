package dev.sluice.policy.junos;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Random firewall filter, as {@code set} lines and in braces. */
final class RandomFilter {
    private static final String[] PREFIXES = {
        "0.0.0.0/0",
        "10.0.0.0/8",
        "10.1.0.0/16",
        "10.1.1.0/24",
        "10.1.1.128/25",
        "10.1.1.1/32",
        "192.0.2.0/24",
        "192.0.2.1/32",
        "8.8.8.8/31"
    };
    private static final String[] PORTS = {"22", "ssh", "http", "20-25", "80-443", "1024-65535"};
    private static final String[] ACTIONS = {"accept", "discard", "reject", "next term", "accept"};

    final List<String> lines = new ArrayList<>();
    private final Random random;
    private final Set<String> listed = new HashSet<>();
    private Set<String> taken = new HashSet<>();

    RandomFilter(long seed) {
        random = new Random(seed);
        for (String list : List.of("L1", "L2")) {
            for (int i = 0; i < 2; i++) {
                lines.add("set policy-options prefix-list " + list + " " + free());
            }
        }
        listed.addAll(taken);
        int terms = 1 + random.nextInt(6);
        for (int i = 0; i < terms; i++) {
            addTerm("set firewall family inet filter F term t" + i + " ");
        }
    }

    private String free() {
        String prefix;
        do {
            prefix = PREFIXES[random.nextInt(PREFIXES.length)];
        } while (!taken.add(prefix));
        return prefix;
    }

    private void addTerm(String term) {
        Set<Integer> kinds = new HashSet<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            kinds.add(random.nextInt(12));
        }
        for (int kind : kinds) {
            addCondition(term + "from ", kind);
        }
        if (random.nextInt(4) == 0) {
            lines.add(term + "then count c");
        }
        if (kinds.isEmpty() || random.nextInt(8) > 0) {
            lines.add(term + "then " + one(ACTIONS));
        }
    }

    private void addCondition(String from, int kind) {
        switch (kind) {
            case 0 -> addAddresses(from + "source-");
            case 1 -> addAddresses(from + "destination-");
            case 2 -> addAddresses(from);
            case 3, 4 -> addValues(from + "protocol", "tcp", "udp", "icmp", "gre", "6");
            case 5 -> addValues(from + "destination-port", PORTS);
            case 6 -> addValues(from + "port", PORTS);
            case 7 -> addValues(from + "icmp-type", "echo-request", "0-3");
            case 8 -> {
                lines.add(from + "protocol tcp");
                lines.add(
                        from
                                + one(
                                        "tcp-established",
                                        "tcp-initial",
                                        "tcp-flags "
                                                + one(
                                                        FilterJudge.FLAGS
                                                                .keySet()
                                                                .toArray(String[]::new))));
            }
            case 9 -> lines.add(from + one("is-fragment", "first-fragment", "tcp-established"));
            case 10 -> {
                String offset = one("0", "1-8191", "5");
                lines.add(from + one("fragment-offset ", "fragment-offset-except ") + offset);
            }
            default -> {
                addValues(from + "ttl", "64", "65-70");
                addValues(from + one("dscp", "precedence"), "cs1", "0-3");
                addValues(from + "packet-length", "100-200");
            }
        }
    }

    private void addAddresses(String side) {
        taken = new HashSet<>(listed);
        String end = random.nextInt(6) == 0 ? " except" : "";
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            lines.add(side + "address " + free() + (random.nextInt(3) == 0 ? " except" : end));
        }
        if (random.nextInt(3) == 0) {
            lines.add(side + "prefix-list " + one("L1", "L2") + one("", "", " except"));
        }
    }

    private void addValues(String keyword, String... values) {
        boolean precedence = keyword.endsWith("precedence");
        String key = keyword + one("", "", "-except");
        Set<String> given = new HashSet<>();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            String value = one(values);
            if (given.add(value)) {
                lines.add(key + " " + (precedence && value.equals("cs1") ? "flash" : value));
            }
        }
    }

    private String one(String... some) {
        return some[random.nextInt(some.length)];
    }

    /** The lines as {@code show configuration} prints them. */
    String braces() {
        Map<String, Object> root = new LinkedHashMap<>();
        for (String line : lines) {
            Map<String, Object> at = root;
            for (String word : line.substring(4).split(" (?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)")) {
                at = child(at, word);
            }
        }
        StringBuilder text = new StringBuilder();
        write(root, text);
        return text.toString();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> child(Map<String, Object> at, String word) {
        return (Map<String, Object>) at.computeIfAbsent(word, none -> new LinkedHashMap<>());
    }

    private static void write(Map<String, Object> at, StringBuilder text) {
        for (String word : at.keySet()) {
            Map<String, Object> inner = child(at, word);
            boolean list =
                    inner.size() > 1
                            && inner.keySet().stream().allMatch(one -> child(inner, one).isEmpty())
                            && !word.equals("from")
                            && !word.equals("then");
            if (!inner.isEmpty()
                    && Set.of("family", "filter", "term", "prefix-list").contains(word)) {
                for (String name : inner.keySet()) {
                    text.append(word).append(' ').append(name).append(" {\n");
                    write(child(inner, name), text);
                    text.append("}\n");
                }
                continue;
            }
            text.append(word);
            if (inner.isEmpty()) {
                text.append(";\n");
            } else if (list) {
                text.append(" [ ").append(String.join(" ", inner.keySet())).append(" ];\n");
            } else if (inner.size() == 1 && !Set.of("firewall", "policy-options").contains(word)) {
                text.append(' ');
                write(inner, text);
            } else {
                text.append(" { /* a comment; */\n");
                write(inner, text);
                text.append("}\n");
            }
        }
    }
}
