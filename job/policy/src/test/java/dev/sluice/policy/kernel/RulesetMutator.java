package dev.sluice.policy.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes mistakes in texts of nftables by their words, as hands and editors do. */
final class RulesetMutator {
    private static final Pattern WORD =
            Pattern.compile("\"[^\"\n]*\"|[\\w.:/*+@$\\\\-]+|[ \t]+|.", Pattern.DOTALL);

    private static final List<String> FAMILIES =
            List.of("ip", "ip6", "inet", "arp", "bridge", "netdev");

    /** Numbers and addresses that fit few places. */
    private static final List<String> VALUES =
            List.of(
                    ("0 1 255 256 65535 65536 70000 -1 4294967295 4294967296 18446744073709551616"
                                    + " 033 0x10 1-2 5-3 1.2.3 1.2.3.4 ::1 fe80:: 10/8 1s 5m 3d"
                                    + " \"x\" * lan*")
                            .split(" "));

    private static final List<String> KEYWORDS =
            List.of(
                    ("tcp udp icmp icmpv6 th meta ct saddr daddr sport dport accept drop reject"
                                    + " return jump goto set map vmap limit rate counter log and or"
                                    + " xor not eq ne lt over until snat dnat masquerade redirect to"
                                    + " type typeof flags interval timeout elements policy hook"
                                    + " priority input output forward prerouting filter nat route"
                                    + " ingress { } ; , . - != == < = ! & | / ( ) $ @ : [ ]")
                            .split(" "));

    private static final int KINDS = 11;

    private final Random random;
    private final List<String> vocabulary = new ArrayList<>(KEYWORDS);

    RulesetMutator(Random random, List<String> texts) {
        this.random = random;
        texts.forEach(text -> vocabulary.addAll(words(text)));
        vocabulary.removeIf(String::isBlank);
    }

    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(text);
        while (word.find()) {
            words.add(word.group());
        }
        return words;
    }

    /** Returns the text with a mistake. */
    String mutated(String text) {
        List<String> words = words(text);
        int at = place(words, ".*\\S.*");
        int other = place(words, ".*\\S.*");
        String word = words.get(at);
        switch (random.nextInt(KINDS)) {
            case 0 -> words.remove(at);
            case 1 -> words.set(at, one(vocabulary));
            case 2 -> words.add(at, one(vocabulary) + " ");
            case 3 -> {
                words.set(at, words.get(other));
                words.set(other, word);
            }
            case 4 -> words.addAll(at, clause(words, at));
            case 5 -> words.set(place(words, "[0-9].*"), one(VALUES));
            case 6 -> words.set(place(words, String.join("|", FAMILIES)), one(FAMILIES));
            case 7 -> {
                int sign = place(words, "[{};,]");
                words.set(sign, random.nextBoolean() ? "" : words.get(sign).repeat(2));
            }
            case 8 -> words.add(at, one(KEYWORDS) + " ");
            case 9 -> {
                List<String> clause = clause(words, at);
                words.subList(at, at + clause.size()).clear();
                words.addAll(Math.min(other, words.size()), clause);
            }
            default -> words.set(at, changed(word));
        }
        return String.join("", words);
    }

    private String changed(String word) {
        int at = random.nextInt(word.length() + 1);
        String more = "0123456789.,:;{}!=<>&|-/$@\"*abcdefghijklmnop_";
        char inserted = more.charAt(random.nextInt(more.length()));
        return random.nextBoolean() || at == word.length()
                ? word.substring(0, at) + inserted + word.substring(at)
                : word.substring(0, at) + word.substring(at + 1);
    }

    /** Returns some words from a place on. */
    private List<String> clause(List<String> words, int at) {
        int end = Math.min(words.size(), at + 2 * (1 + random.nextInt(4)));
        return List.copyOf(words.subList(at, end));
    }

    private String one(List<String> of) {
        return of.get(random.nextInt(of.size()));
    }

    /** Returns the place of a word of a pattern, or of any word where there is none. */
    private int place(List<String> words, String pattern) {
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).matches(pattern)) {
                places.add(i);
            }
        }
        return places.isEmpty()
                ? random.nextInt(words.size())
                : places.get(random.nextInt(places.size()));
    }
}
