package dev.sluice.policy.anonymize;

import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.nft.Keywords;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names in a ruleset of nft: tables, chains, sets, variables, interfaces, and words of people. */
final class RulesetNames {
    private static final String NAME = "([A-Za-z_][A-Za-z0-9/_.\\-]*)";
    private static final String OF_FAMILY = "(?:(?:ip|ip6|inet|arp|bridge|netdev)\\s+)?";
    private static final String OF_PEOPLE = "\"[^\"\\n]*\"|#[^\\n]*";
    private static final String ADDRESS = "[0-9a-fA-F:][0-9a-fA-F:.]*";

    /** Places of names: behind the words that introduce them. */
    private static final List<Pattern> PLACES =
            List.of(
                    Pattern.compile(
                            "(?<=^|[\\n;{}])[ \\t]*(?:ct\\s+)?(?:table|chain|set|map|flowtable|counter|quota|limit"
                                    + "|secmark|synproxy|helper|timeout|expectation)\\s+"
                                    + OF_FAMILY
                                    + NAME
                                    + "\\s*\\{"),
                    Pattern.compile(
                            "\\b(?:add|create|insert|replace|delete|destroy|flush|list|reset)\\s+(?:chain|set|map|rule"
                                    + "|element|flowtable|counter|quota|limit)\\s+"
                                    + OF_FAMILY
                                    + NAME
                                    + "\\s+"
                                    + NAME),
                    Pattern.compile(
                            "\\b(?:add|create|delete|destroy|flush|list)\\s+table\\s+"
                                    + OF_FAMILY
                                    + NAME),
                    Pattern.compile("\\b(?:jump|goto|define|redefine|name)\\s+" + NAME),
                    Pattern.compile("[@$]" + NAME),
                    Pattern.compile(
                            "\\b(?:iif|oif|iifname|oifname|ibrname|obrname|sdif|sdifname|device)\\s+(?:[!=]=\\s*)?"
                                    + NAME));

    /** Lists of interfaces: in a rule, of devices, or in a set. */
    private static final Pattern INTERFACES =
            Pattern.compile(
                    "\\b(?:(?:iif|oif|iifname|oifname|ibrname|obrname)\\s+(?:[!=]=\\s*)?(?:vmap\\s*|map\\s*)?|devices\\s*=\\s*"
                            + "|(?:type|typeof)\\b[^;\\n{}]*ifname[^;\\n{}]*[;\\n][^{}]*\\belements\\s*=\\s*)\\{([^}]*)\\}");

    /** An address of which a mask leaves some bits: the others are to stay what they are. */
    private static final Pattern MASKED =
            Pattern.compile("&\\s*(%s)\\s*(?:[!=]=)?\\s*(%s)".formatted(ADDRESS, ADDRESS));

    /** Reserved words in the places of names. */
    private static final Set<String> OF_LANGUAGE =
            Set.of(
                    ("accept drop return continue jump goto queue map vmap counter comment timeout expires"
                                    + " input output forward prerouting postrouting ingress egress filter nat mangle raw"
                                    + " security route lo ip ip6 inet arp bridge netdev over rate name set"
                                    + " Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
                            .split(" "));

    private final AddressCipher addresses;
    private final WordCipher names;

    /** Ends of what is replaced, by its begin. */
    private final TreeMap<Integer, Integer> replaced = new TreeMap<>();

    RulesetNames(byte[] key, AddressCipher addresses) {
        this.addresses = addresses;
        names = new WordCipher(key, Set.of("lo"));
    }

    /** The text of a ruleset under other names. */
    String of(String text) {
        requireText(text);
        addresses.note(text);
        noteMasks(text);
        mark(Pattern.compile("(" + OF_PEOPLE + ")"), text, 0, text.length());
        PLACES.forEach(place -> mark(place, text, 0, text.length()));
        Matcher lists = INTERFACES.matcher(text);
        while (lists.find()) {
            mark(Pattern.compile("(?<![\\w.:@$/-])" + NAME), text, lists.start(1), lists.end(1));
        }
        StringBuilder other = new StringBuilder();
        int[] at = {0};
        replaced.forEach(
                (from, to) -> {
                    other.append(addresses.of(text.substring(at[0], from)));
                    other.append(name(text.substring(from, to)));
                    at[0] = to;
                });
        return other.append(addresses.of(text.substring(at[0]))).toString();
    }

    private static void requireText(String text) {
        if (text.stripLeading().startsWith("{")) {
            throw new SluiceException(
                    "the JSON of nft: its names cannot be replaced; print the ruleset as text by: nft list ruleset; or name what this prints: sluice rules convert FILE --to json");
        }
        if (Pattern.compile("(?m)^\\s*include\\b").matcher(text).find()) {
            throw new SluiceException(
                    "include: names of other files cannot be replaced; print the whole ruleset by: nft list ruleset; or name what this prints: sluice rules convert FILE --to json");
        }
    }

    private void noteMasks(String text) {
        Matcher masked = MASKED.matcher(text);
        while (masked.find()) {
            addresses.noteMask(masked.group(2), masked.group(1));
        }
    }

    /** Marks what the groups of a pattern find outside of what is marked. */
    private void mark(Pattern place, String text, int from, int to) {
        Matcher found = place.matcher(text).region(from, to);
        found.useTransparentBounds(true);
        while (found.find()) {
            for (int group = 1; group <= found.groupCount(); group++) {
                var before = replaced.floorEntry(found.start(group));
                boolean inside = before != null && before.getValue() > found.start(group);
                if (!inside && !OF_LANGUAGE.contains(found.group(group))) {
                    replaced.put(found.start(group), found.end(group));
                }
            }
        }
    }

    /** A name, a comment, or a text in quotes under other words. */
    private String name(String text) {
        boolean quoted = text.startsWith("\"");
        String bare = quoted ? text.substring(1, text.length() - 1) : text;
        if (OF_LANGUAGE.contains(bare) || Keywords.isWord(bare) || text.startsWith("#!")) {
            return text;
        }
        String other = names.of(quoted || text.startsWith("#") ? addresses.of(bare) : bare);
        while (Keywords.isWord(other)) {
            other += "x";
        }
        return quoted ? '"' + other + '"' : other;
    }
}
