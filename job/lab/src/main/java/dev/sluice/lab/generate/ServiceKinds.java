package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The kinds of services of a policy: a few that every policy has, then ports and ranges of single
 * applications. First each is given once, then they come by a skewed law, the common ones most. Not
 * thread-safe.
 */
final class ServiceKinds {
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int FIRST_HIGH = 1024;
    private static final int LAST = ServiceKind.LAST_PORT;

    /** From here Linux and IANA take ports for clients. */
    private static final int[] FIRST_EPHEMERAL = {FIRST_HIGH, 32_768, 49_152};

    /** How often a service comes falls with its place to this power. */
    private static final double SKEW = 0.9;

    /** Share of rules for every port and protocol, beside those that close a list. */
    private static final double ANY_SHARE = 0.01;

    /** Protocol, lowest and highest destination port. */
    private static final int[][] COMMON = {
        {TCP, 443, 443},
        {TCP, 80, 80},
        {TCP, 22, 22},
        {UDP, 53, 53},
        {1, 0, LAST},
        {UDP, 123, 123},
        {TCP, FIRST_HIGH, LAST},
        {TCP, 3389, 3389},
        {TCP, 53, 53},
        {TCP, 0, LAST},
        {UDP, 161, 162},
        {TCP, 8080, 8080},
        {UDP, FIRST_HIGH, LAST},
        {TCP, 445, 445},
        {TCP, 1433, 1433},
        {TCP, 5432, 5432},
        {UDP, 500, 500},
        {50, 0, LAST},
        {TCP, 25, 25},
        {TCP, 20, 21},
        {UDP, 0, LAST}
    };

    private final SplittableRandom random;
    private final List<ServiceKind> kinds;
    private final WeightedChoice<ServiceKind> bySkew = new WeightedChoice<>();
    private int shown;

    /** So many kinds, the first of which is every port and protocol. */
    ServiceKinds(SplittableRandom random, int count) {
        this.random = random;
        Set<ServiceKind> distinct = new LinkedHashSet<>(List.of(ServiceKind.ANY));
        Arrays.stream(COMMON)
                .limit(count - 1L)
                .forEach(c -> distinct.add(ServiceKind.to(c[0], c[1], c[2])));
        while (distinct.size() < count) {
            distinct.add(application());
        }
        this.kinds = new ArrayList<>(distinct);
        double others = 0;
        for (int i = 1; i < count; i++) {
            double weight = Math.pow(i, -SKEW);
            bySkew.add(kinds.get(i), weight);
            others += weight;
        }
        bySkew.add(ServiceKind.ANY, count == 1 ? 1 : others * ANY_SHARE);
    }

    /** The next: one that did not come yet, as long as there is one. */
    ServiceKind next() {
        return shown < kinds.size() ? kinds.get(shown++) : bySkew.at(random.nextDouble());
    }

    /** How many did not come yet. */
    int left() {
        return kinds.size() - shown;
    }

    private ServiceKind application() {
        int protocol = random.nextInt(4) == 0 ? UDP : TCP;
        int port = port();
        int ephemeral = FIRST_EPHEMERAL[random.nextInt(FIRST_EPHEMERAL.length)];
        int kind = random.nextInt(100);
        if (kind < 60) {
            return ServiceKind.to(protocol, port, port);
        }
        if (kind < 72) {
            int last = Math.min(LAST, port + random.nextInt(1, 64));
            return ServiceKind.to(protocol, port, last);
        }
        if (kind < 76) {
            // Whole blocks of an application's ports, such as 6000 to 6099.
            int first = random.nextInt(FIRST_HIGH / 100 + 1, 600) * 100;
            return ServiceKind.to(protocol, first, first + 100 * random.nextInt(1, 10) - 1);
        }
        if (kind < 92) {
            return new ServiceKind(ephemeral, LAST, port, port, protocol);
        }
        if (kind < 96) {
            // Answers of a server.
            return new ServiceKind(port, port, ephemeral, LAST, protocol);
        }
        return new ServiceKind(port, port, port, port, protocol);
    }

    private int port() {
        return random.nextInt(4) == 0
                ? random.nextInt(1, FIRST_HIGH)
                : random.nextInt(FIRST_HIGH, FIRST_EPHEMERAL[2]);
    }
}
