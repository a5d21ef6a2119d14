package dev.sluice.policy.anonymize;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names in lists of rules that stand for themselves: addresses, ports of a switch, comments. */
final class RuleNames implements NameCipher {
    /** The name of a port, not its number and not a word of Open vSwitch in capitals. */
    private static final Pattern PORT =
            Pattern.compile(
                    "(?<=\\b(?:in_port|output|in_port_name|enqueue)[=:(])(?:\"([^\"]*)\"|([a-z][\\w.-]*))");

    private final AddressCipher addresses;
    private final WordCipher interfaces;
    private final WordCipher texts;

    RuleNames(byte[] key, AddressCipher addresses) {
        this.addresses = addresses;
        interfaces = new WordCipher(key, Set.of("local", "controller", "normal", "all", "any"));
        texts = new WordCipher(key, Set.of());
    }

    @Override
    public void note(String line) {
        addresses.note(line);
    }

    @Override
    public String of(String line) {
        int hash = line.indexOf('#');
        String rule = addresses.of(hash < 0 ? line : line.substring(0, hash));
        String named =
                PORT.matcher(rule)
                        .replaceAll(port -> Matcher.quoteReplacement(interfaces.of(port.group())));
        return hash < 0 ? named : named + texts.of(addresses.of(line.substring(hash)));
    }
}
