package dev.sluice.policy.cisco;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random list whose entries and packets lie close together. */
final class RandomList {
    private static final List<String> PORTS =
            List.of("www", "domain", "79", "81", "443", "telnet", "bgp", "1024");
    private static final int[] PORT_NUMBERS = {22, 23, 52, 53, 79, 80, 81, 179, 443, 1023, 1024};
    private static final List<String> TYPES =
            List.of("echo", "echo-reply", "port-unreachable", "unreachable", "ttl-exceeded");

    private final Random random;
    final boolean v6;
    final boolean prefixes;

    /** The text, its first line the header. */
    final List<String> lines = new ArrayList<>();

    RandomList(Random random, String header, boolean v6, boolean prefixes) {
        this.random = random;
        this.v6 = v6;
        this.prefixes = prefixes;
        lines.add(header);
        boolean numbered = random.nextBoolean();
        List<Integer> numbers = new ArrayList<>();
        int size = 3 + random.nextInt(9);
        for (int i = 0; i < size; i++) {
            numbers.add(10 * (i + 1));
        }
        if (numbered && random.nextBoolean()) {
            java.util.Collections.shuffle(numbers, random);
        }
        for (int i = 0; i < size; i++) {
            lines.add(" " + (numbered ? numbers.get(i) + " " : "") + entry());
        }
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private String entry() {
        StringBuilder line = new StringBuilder(random.nextBoolean() ? "permit " : "deny ");
        String any = v6 ? "ipv6" : "ip";
        String protocol = one(List.of("tcp", "tcp", "udp", "icmp", any, "esp"));
        boolean ports = protocol.equals("tcp") || protocol.equals("udp");
        line.append(protocol).append(' ').append(address());
        line.append(ports && random.nextInt(3) == 0 ? operator() : "");
        line.append(' ').append(address());
        line.append(ports && random.nextInt(2) == 0 ? operator() : "");
        if (protocol.equals("tcp") && random.nextInt(5) == 0) {
            line.append(" established");
        } else if (protocol.equals("icmp") && random.nextInt(2) == 0 && !v6) {
            line.append(' ').append(one(TYPES));
        } else if (!ports && random.nextInt(5) == 0) {
            line.append(" fragments");
        }
        return line.append(random.nextInt(4) == 0 ? " log" : "").toString();
    }

    private String operator() {
        String word = one(List.of("eq", "eq", "neq", "lt", "gt", "range"));
        String ports = one(PORTS);
        if (word.equals("range")) {
            return " range 53 " + one(List.of("80", "443", "www"));
        }
        boolean several = word.endsWith("eq") && random.nextInt(3) == 0;
        return " " + word + " " + ports + (several ? " " + one(PORTS) : "");
    }

    private String address() {
        if (random.nextInt(3) == 0) {
            return "any";
        }
        String host = host();
        if (random.nextInt(3) == 0) {
            return "host " + host;
        }
        if (v6) {
            return host + "/" + one(List.of("128", "126", "64", "48", "113"));
        }
        if (prefixes && random.nextBoolean()) {
            return host + "/" + one(List.of("32", "30", "24", "23", "31"));
        }
        return host
                + " "
                + one(
                        List.of(
                                "0.0.0.3",
                                "0.0.0.0",
                                "0.0.1.255",
                                "0.0.2.5",
                                "0.0.0.255",
                                "0.0.3.1"));
    }

    private String host() {
        return v6
                ? "2001:db8:0:%d::%d".formatted(random.nextInt(2), random.nextInt(6))
                : "10.0.%d.%d".formatted(random.nextInt(4), random.nextInt(8));
    }

    /** A packet near the entries. */
    ListPacket packet() {
        int protocol = new int[] {6, 6, 17, v6 ? 58 : 1, 50}[random.nextInt(5)];
        boolean icmp = protocol == 1 || protocol == 58;
        int sport = icmp ? icmpType() : PORT_NUMBERS[random.nextInt(PORT_NUMBERS.length)];
        int dport = icmp ? random.nextInt(4) : PORT_NUMBERS[random.nextInt(PORT_NUMBERS.length)];
        int flags = new int[] {2, 16, 4, 18, 1, 24}[random.nextInt(6)];
        int fragment = new int[] {0, 0, 0, 1, 3}[random.nextInt(5)];
        return new ListPacket(host(), host(), protocol, sport, dport, flags, fragment);
    }

    private int icmpType() {
        int[] types = v6 ? new int[] {128, 133, 134, 135, 136, 137} : new int[] {0, 3, 8, 11};
        return types[random.nextInt(types.length)];
    }
}
