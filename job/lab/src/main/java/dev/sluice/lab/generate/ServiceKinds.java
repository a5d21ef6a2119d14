package dev.sluice.lab.generate;

import java.util.ArrayList;
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

    /** From here Linux and IANA take ports for clients. */
    private static final int[] FIRST_EPHEMERAL = {FIRST_HIGH, 32_768, 49_152};

    /** How often a service comes falls with its place to this power. */
    private static final double SKEW = 0.9;

    /** Share of rules for every port and protocol, beside those that close a list. */
    private static final double ANY_SHARE = 0.01;

    private static final List<ServiceKind> COMMON =
            List.of(
                    ServiceKind.to(TCP, 443, 443),
                    ServiceKind.to(TCP, 80, 80),
                    ServiceKind.to(TCP, 22, 22),
                    ServiceKind.to(UDP, 53, 53),
                    ServiceKind.portless(1),
                    ServiceKind.to(UDP, 123, 123),
                    ServiceKind.to(TCP, FIRST_HIGH, ServiceKind.LAST_PORT),
                    ServiceKind.to(TCP, 3389, 3389),
                    ServiceKind.to(TCP, 53, 53),
                    ServiceKind.portless(TCP),
                    ServiceKind.to(UDP, 161, 162),
                    ServiceKind.to(TCP, 8080, 8080),
                    ServiceKind.to(UDP, FIRST_HIGH, ServiceKind.LAST_PORT),
                    ServiceKind.to(TCP, 445, 445),
                    ServiceKind.to(TCP, 1433, 1433),
                    ServiceKind.to(TCP, 5432, 5432),
                    ServiceKind.to(UDP, 500, 500),
                    ServiceKind.portless(50),
                    ServiceKind.to(TCP, 25, 25),
                    ServiceKind.to(TCP, 20, 21),
                    ServiceKind.portless(UDP));

    private final SplittableRandom random;
    private final List<ServiceKind> kinds;
    private final WeightedChoice<ServiceKind> bySkew = new WeightedChoice<>();
    private int shown;

    /** So many kinds, the first of which is every port and protocol. */
    ServiceKinds(SplittableRandom random, int count) {
        this.random = random;
        Set<ServiceKind> distinct = new LinkedHashSet<>(List.of(ServiceKind.ANY));
        COMMON.stream().limit(count - 1L).forEach(distinct::add);
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
            int last = Math.min(ServiceKind.LAST_PORT, port + random.nextInt(1, 64));
            return ServiceKind.to(protocol, port, last);
        }
        if (kind < 76) {
            // Whole blocks of an application's ports, such as 6000 to 6099.
            int first = random.nextInt(FIRST_HIGH / 100 + 1, 600) * 100;
            return ServiceKind.to(protocol, first, first + 100 * random.nextInt(1, 10) - 1);
        }
        if (kind < 92) {
            return new ServiceKind(ephemeral, ServiceKind.LAST_PORT, port, port, protocol);
        }
        if (kind < 96) {
            // Answers of a server.
            return new ServiceKind(port, port, ephemeral, ServiceKind.LAST_PORT, protocol);
        }
        return new ServiceKind(port, port, port, port, protocol);
    }

    private int port() {
        return random.nextInt(4) == 0
                ? random.nextInt(1, FIRST_HIGH)
                : random.nextInt(FIRST_HIGH, FIRST_EPHEMERAL[2]);
    }
}
