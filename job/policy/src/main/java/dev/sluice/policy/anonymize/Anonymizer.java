package dev.sluice.policy.anonymize;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.json.PolicyJsonFormat;
import dev.sluice.policy.json.PolicyJsonWriter;
import dev.sluice.policy.model.Policy;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;

/** Anonymizer of rule files under a key: equal keys give equal names. */
public final class Anonymizer {
    private final byte[] key;

    /** The bytes that stand for each address, as far as the file was read. */
    private final AddressCipher addresses;

    private Anonymizer(byte[] key) {
        this.key = key;
        addresses = new AddressCipher(key);
    }

    /** An anonymizer under a drawn key. */
    public static Anonymizer random() {
        byte[] key = new byte[PrefixCipher.KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return new Anonymizer(key);
    }

    /**
     * An anonymizer under a key.
     *
     * @param hex 64 hexadecimal digits
     * @throws SluiceException if it is none
     */
    public static Anonymizer of(String hex) {
        if (!hex.matches("[0-9a-fA-F]{%d}".formatted(2 * PrefixCipher.KEY_BYTES))) {
            throw new SluiceException(
                    "'%s' is no key; write %d hexadecimal digits, as openssl rand -hex %d prints them"
                            .formatted(hex, 2 * PrefixCipher.KEY_BYTES, PrefixCipher.KEY_BYTES));
        }
        return new Anonymizer(HexFormat.of().parseHex(hex));
    }

    /**
     * The lines of a file under other names.
     *
     * @throws SluiceException if its format cannot be anonymized
     */
    public List<String> lines(OpenRules file) {
        if (Files.isDirectory(file.file()) && !file.format().label().equals("kubernetes")) {
            throw unread(file);
        }
        if (Files.isDirectory(file.file())) {
            throw new SluiceException(
                    "%s: is a folder; name its files one by one, under one --key"
                            .formatted(file.file()));
        }
        if (file.format() instanceof PolicyJsonFormat json) {
            return PolicyJsonWriter.lines(
                    new PolicyNames(key, addresses).of(file.use(in -> policies(file, json, in))));
        }
        List<String> lines = new ArrayList<>();
        file.use(
                in -> {
                    for (String line = in.readLine(); line != null; line = in.readLine()) {
                        lines.add(TextFiles.inUtf8(line));
                    }
                    return lines;
                });
        String whole = String.join("\n", lines) + "\n";
        return switch (file.format().label()) {
            case "iptables", "ip6tables" -> replaced(lines, new SaveNames(key, addresses));
            case "openflow", "classbench" -> replaced(lines, new RuleNames(key, addresses));
            case "nft" -> new RulesetNames(key, addresses).of(whole).lines().toList();
            case "kubernetes" ->
                    new ManifestNames(key, addresses).of(file.file().toString(), whole);
            default -> throw unread(file);
        };
    }

    private static SluiceException unread(OpenRules file) {
        return new SluiceException(
                "%s: names of %s cannot be replaced; name what this prints: sluice rules convert %s --to json"
                        .formatted(file.file(), file.format().title(), file.file()));
    }

    private static Collection<Policy> policies(
            OpenRules file, PolicyJsonFormat format, BufferedReader in) throws IOException {
        RuleReading reading = file.reading(in);
        Collection<Policy> policies = format.policies(reading, false).values();
        reading.requireNoDefects();
        return policies;
    }

    private static List<String> replaced(List<String> lines, NameCipher names) {
        lines.forEach(names::note);
        lines.replaceAll(names::of);
        return lines;
    }

    /** The address that stands for another one in the lines. */
    byte[] of(byte[] address) {
        return addresses.of(address);
    }
}
