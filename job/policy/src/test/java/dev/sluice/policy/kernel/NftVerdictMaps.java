package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.NftMatches.Drawn;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongFunction;

/** Verdict maps of nftables, drawn at random, each with the packets that meet its elements. */
final class NftVerdictMaps {
    private final Random random;
    private final String family;
    private final boolean tracks;
    private final List<String> named = new ArrayList<>();

    /** Keys of a map: what is loaded, and elements that exclude each other. */
    private record Keys(String loads, int version, boolean transport, List<Element> elements) {}

    private record Element(String text, Formula aim) {}

    /**
     * Map in a rule.
     *
     * @param elements a match for each element: its key, with the packets that meet it
     */
    record DrawnMap(String text, List<Drawn> elements) {}

    NftVerdictMaps(Random random, String family, boolean tracks) {
        this.random = random;
        this.family = family;
        this.tracks = tracks;
    }

    /** Returns the named maps that rules use, as a table holds them. */
    List<String> named() {
        return named;
    }

    /**
     * Draws a map.
     *
     * @param transport whether the rule's matches before name a transport protocol
     * @param version the IP version that they name, 0 for none
     */
    DrawnMap draw(List<String> verdicts, boolean transport, int version) {
        List<Keys> able =
                keys().stream()
                        .filter(keys -> !transport || !keys.transport)
                        .filter(
                                keys ->
                                        keys.version == 0
                                                || version == 0
                                                || keys.version == version)
                        .toList();
        Keys keys = able.get(random.nextInt(able.size()));
        StringBuilder text = new StringBuilder();
        List<Drawn> elements = new ArrayList<>();
        for (Element element : keys.elements) {
            if (random.nextInt(3) > 0 || elements.isEmpty()) {
                text.append(elements.isEmpty() ? "" : ", ")
                        .append(element.text)
                        .append(" : ")
                        .append(verdicts.get(random.nextInt(verdicts.size())));
                elements.add(new Drawn(keys.loads, keys.version, element.aim));
            }
        }
        boolean exact = keys.loads.matches("ct state|(?:.* )?th dport.*");
        if (exact || random.nextInt(3) > 0) {
            return new DrawnMap(keys.loads + " vmap { " + text + " }", elements);
        }
        String name = "m" + named.size();
        named.add(
                "map %s { typeof %s : verdict; flags interval; elements = { %s }; }"
                        .formatted(name, keys.loads, text));
        return new DrawnMap(keys.loads + " vmap @" + name, elements);
    }

    private List<Keys> keys() {
        LongFunction<Formula> protocol = value -> Formula.is(ProbeField.PROTOCOL, value);
        Formula tcp = protocol.apply(6);
        Formula udp = protocol.apply(17);
        List<Keys> all = new ArrayList<>();
        all.add(new Keys("iifname", 0, false, devices(ProbeField.IN)));
        all.add(new Keys("oifname", 0, false, devices(ProbeField.OUT)));
        all.add(new Keys("tcp dport", 0, true, ports(ProbeField.DESTINATION_PORT, tcp)));
        all.add(new Keys("udp sport", 0, true, ports(ProbeField.SOURCE_PORT, udp)));
        List<Element> protocols = new ArrayList<>();
        for (int number : new int[] {6, 17, 50, 103, 58}) {
            protocols.add(new Element(String.valueOf(number), protocol.apply(number)));
        }
        all.add(new Keys("meta l4proto", 0, true, protocols));
        all.add(
                new Keys(
                        "iifname . tcp dport",
                        0,
                        true,
                        pairs(devices(ProbeField.IN), ports(ProbeField.DESTINATION_PORT, tcp))));
        if (tracks) {
            Formula fresh = ConnectionStates.is(4, ConnectionStates.NEW);
            all.add(
                    new Keys(
                            "ct state",
                            0,
                            false,
                            List.of(
                                    new Element("established", Formula.ALWAYS),
                                    new Element("new", fresh),
                                    new Element("invalid", fresh.not()))));
        }
        if (!family.equals("ip6")) {
            all.add(new Keys("ip daddr", 4, false, addresses4()));
            all.add(new Keys("ip daddr . meta l4proto", 4, true, pairs(addresses4(), protocols)));
        }
        if (!family.equals("ip")) {
            all.add(
                    new Keys(
                            "ip6 hoplimit",
                            6,
                            false,
                            List.of(
                                    new Element("1-63", Formula.range(ProbeField.TTL, 2, 63)),
                                    new Element("64", Formula.is(ProbeField.TTL, 64)),
                                    new Element(
                                            "65-255", Formula.range(ProbeField.TTL, 65, 255)))));
        }
        return all;
    }

    private static List<Element> pairs(List<Element> first, List<Element> second) {
        List<Element> pairs = new ArrayList<>();
        for (Element one : first) {
            for (Element two : second) {
                pairs.add(new Element(one.text + " . " + two.text, Formula.all(one.aim, two.aim)));
            }
        }
        return pairs;
    }

    private static List<Element> devices(ProbeField field) {
        return List.of(
                new Element("\"lan0\"", Formula.is(field, 0)),
                new Element("\"lan1\"", Formula.is(field, 1)),
                new Element("\"wan*\"", Formula.is(field, 2)));
    }

    private static List<Element> ports(ProbeField field, Formula protocol) {
        List<Element> ports = new ArrayList<>();
        for (int port : new int[] {22, 53, 80, 443, 8080}) {
            Formula aim = Formula.all(protocol, Formula.is(field, port));
            ports.add(new Element(String.valueOf(port), aim));
        }
        ports.add(
                new Element("1000-2000", Formula.all(protocol, Formula.range(field, 1000, 2000))));
        return ports;
    }

    private static List<Element> addresses4() {
        return List.of(
                new Element("1.0.0.0-63.255.255.255", address4(1, 63)),
                new Element("64.0.0.0/3", address4(64, 95)),
                new Element("96.0.0.0/8", address4(96, 96)),
                new Element("97.0.0.0-126.255.255.255", address4(97, 126)));
    }

    private static Formula address4(long low, long high) {
        return Formula.range(ProbeField.DESTINATION, low << 24, (high << 24) + 0xffffff);
    }
}
