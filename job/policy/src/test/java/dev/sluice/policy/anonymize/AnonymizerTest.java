package dev.sluice.policy.anonymize;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.engine.rules.Rule;
import dev.sluice.policy.Literals;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.json.PolicyJsonWriter;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnonymizerTest {
    private static final int PACKETS = 3_000;

    /** The key and addresses that the authors of Crypto-PAn publish. */
    private static final String PUBLISHED =
            "1522178d33a4cf80130a5b1649907d10d8988f837979652762574c2d2a842202";

    private static final String RANGES =
            """
            create wide bitmap:ip range 10.9.0.0-10.9.1.255
            add wide 10.9.0.7
            create pairs hash:net,iface family inet
            add pairs 10.3.0.0/16,eth1
            *filter
            :INPUT DROP [0:0]
            :acme_LOG - [0:0]
            -A INPUT -m iprange --src-range 10.1.2.3-10.1.2.201 -j acme_LOG
            -A INPUT -s 10.2.0.7/255.255.0.255 -j DROP
            -A INPUT -m set --match-set wide src -j ACCEPT
            -A INPUT ! -s 10.2.0.0/15 -d 10.1.2.0/25 -j ACCEPT
            -A INPUT -d 224.0.0.0/4 -i lo -j ACCEPT
            -A acme_LOG -d 10.9.0.0/23 -m comment --comment "mail of 10.1.2.3, \\"Ann\\"" -j ACCEPT
            -A acme_LOG -s 10.9.0.1 -m comment --comment "B\u00fcro dropper cafe:bead:dad" -j DROP
            COMMIT
            """;

    private static final String PEOPLES =
            "file chain text comment action to name base unknown in_interface out_interface";

    private static final Pattern WORD =
            Pattern.compile("\\d+[.]\\d+[.]\\d+[.]\\d+|\\d*[_\\p{L}][_\\p{L}\\p{N}]*");

    /** Words and addresses that stay. */
    private static final String KEPT =
            "INPUT|FORWARD|OUTPUT|PREROUTING|POSTROUTING|ACCEPT|DROP|REJECT|RETURN|input|forward|raw|filter|nat"
                    + "|accept|drop|reject|return|allow|deny|jump|goto|lo|(0|127|22[4-9]|2[345]\\d)[.].*|0x\\d+";

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({
        "128.11.68.132, 135.242.180.132",
        "129.118.74.4, 134.136.186.123",
        "130.132.252.244, 133.68.164.234",
        "141.223.7.43, 141.167.8.160"
    })
    void addressesAreThoseOfCryptoPan(String from, String to) throws RuleSyntaxException {
        byte[] key = HexFormat.of().parseHex(PUBLISHED);
        assertArrayEquals(bytes(to), new PrefixCipher(key).of(bytes(from)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"iptables/host.save", "firewall/server.save", "firewall/server6.save"})
    void policyDecidesAboutReplacedPacketsAsBefore(String name) throws IOException {
        requireSameVerdicts(Files.readString(TestData.inCheckout("test-data/" + name)), "INPUT");
    }

    @ParameterizedTest
    @CsvSource({"nft/host.nft, input", "nft/host.nft, forward", "nft/list.nft, input"})
    void rulesetDecidesAboutReplacedPacketsAsBefore(String name, String hook) throws IOException {
        String text = Files.readString(TestData.inCheckout("test-data/" + name));
        String other = requireSameVerdicts(text, hook);
        assertFalse(other.contains("scanner") || other.contains("wan0"), other);
        assertFalse(other.contains("blocked") || other.contains("203.0.113"), other);
        assertEquals(text.lines().count(), other.lines().count());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster", "calico", "cilium"})
    void clusterDecidesAboutReplacedPacketsAsBefore(String name) throws IOException {
        String text =
                Files.readString(
                        TestData.inCheckout("test-data/kubernetes/%s.yaml".formatted(name)));
        List<String> kept = List.of("image", "shop", "web-1", "10.244.1");
        String other = requireSameVerdicts(text, null);
        for (int key = 1; key < 8 && kept.stream().anyMatch(other::contains); key++) {
            other = requireSameVerdicts(text, null);
        }
        assertTrue(kept.stream().noneMatch(other::contains), other);
    }

    @ParameterizedTest
    @CsvSource({
        "iptables/host.save, INPUT",
        "nft/host.nft, forward",
        "kubernetes/office.yaml,",
        "ranges, INPUT"
    })
    void neutralFormDecidesAboutReplacedPacketsAsBefore(String name, @Nullable String hook)
            throws IOException {
        List<String> json = neutral(name, hook);
        String other = requireSameVerdicts(String.join("\n", json) + "\n", hook);
        assertEquals(json.size(), other.lines().count());
    }

    /** The policies of a file of ours, or of {@link #RANGES}, in the middle form. */
    private List<String> neutral(String name, @Nullable String hook) throws IOException {
        Path file =
                name.equals("ranges")
                        ? Files.writeString(folder.resolve("ranges"), RANGES)
                        : TestData.inCheckout("test-data/" + name);
        PolicyOptions all = new PolicyOptions(hook, Assumptions.NONE, false);
        return PolicyJsonWriter.lines(PolicyFile.read(file, all).policies());
    }

    /** A word may stand for itself under a key by chance, and so may an address; hardly under 8. */
    @ParameterizedTest
    @CsvSource({
        "iptables/host.save, INPUT",
        "nft/host.nft, forward",
        "kubernetes/office.yaml,",
        "ranges, INPUT"
    })
    void neutralFormHoldsNoNameUnderAllKeys(String name, @Nullable String hook) throws IOException {
        List<String> json = neutral(name, hook);
        Path from = Files.write(folder.resolve("from.json"), json);
        Set<String> left = names(String.join("\n", json));
        assertTrue(left.size() > 10, left.toString());
        left.removeIf(word -> word.matches(KEPT));
        for (int i = 0; i < 8; i++) {
            Anonymizer under = Anonymizer.of(("%02x".formatted(17 * i + 1)).repeat(32));
            left.retainAll(names(String.join("\n", under.lines(OpenRules.open(from, null)))));
        }
        assertEquals(Set.of(), left);
    }

    /** The words with letters, and the addresses, in the members that hold words of people. */
    private static Set<String> names(String json) throws IOException {
        Set<String> names = new TreeSet<>();
        try (JsonParser in = new JsonFactory().createParser(json)) {
            while (in.nextToken() != null) {
                boolean ofPeople =
                        Set.of(PEOPLES.split(" ")).contains(String.valueOf(in.currentName()));
                if (in.currentToken() == JsonToken.VALUE_STRING && ofPeople) {
                    WORD.matcher(in.getText()).results().forEach(word -> names.add(word.group()));
                }
            }
        }
        return names;
    }

    @Test
    void secretsOfAClusterAreLeftOut() throws IOException {
        Path file = folder.resolve("all.yaml");
        Files.writeString(
                file,
                """
                {apiVersion: v1, kind: Secret, metadata: {name: token, annotations: {a: hidden}}, data: {a: hidden}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: p, namespace: shop}
                spec: {nodeName: m, volumes: [hidden], containers: [{image: hidden, env: [{name: A, value: hidden}]}]}
                status: {podIP: 10.0.0.1, message: hidden}
                """);
        String other = String.join("\n", Anonymizer.random().lines(OpenRules.open(file, null)));
        assertFalse(other.contains("hidden"), other);
        assertTrue(other.contains("podIP"), other);
    }

    @ParameterizedTest
    @CsvSource({
        "nft/list.json, the JSON of nft: its names cannot be replaced; print the ruleset as text",
        "kubernetes, is a folder; name its files one by one",
        "cloud/aws, names of AWS cannot be replaced; name what this prints: sluice rules convert",
        "appliance/office.pf, names of pf.conf cannot be replaced; name what this prints: sluice rules convert"
    })
    void whatCannotBeReplacedHasARemedy(String name, String expected) throws IOException {
        OpenRules file = OpenRules.open(TestData.inCheckout("test-data/" + name), null);
        String message =
                String.valueOf(
                        assertThrows(SluiceException.class, () -> Anonymizer.random().lines(file))
                                .getMessage());
        assertTrue(message.contains(expected), message);
    }

    @Test
    void rangesAndMasksWithHolesStayWhatTheyAre() throws IOException {
        String other = requireSameVerdicts(RANGES, "INPUT");
        assertFalse(other.contains("Ann") || other.contains("acme") || other.contains("eth1"));
        assertTrue(other.contains("-d 224.0.0.0/4 -i lo"), other);
        assertEquals(RANGES.lines().count(), other.lines().count());
    }

    @Test
    void switchDecidesAboutReplacedPacketsAsBefore() throws IOException {
        String text = Files.readString(TestData.office("office.ovs"));
        requireSameRules(
                text + "in_port=\"uplink\",ip,nw_src=10.1.0.3/255.255.0.255,actions=drop\n");
        requireSameRules(
                "@10.1.0.0/16 192.0.2.7/32 0 : 65535 25 : 25 0x06/0xFF\n@0.0.0.0/0 10.1.2.0/24 0 : 65535 0 : 65535 0x00/0x00\n");
    }

    @Test
    void keyIsHexadecimal() {
        assertTrue(
                assertThrows(SluiceException.class, () -> Anonymizer.of("secret"))
                        .getMessage()
                        .contains("64 hexadecimal digits"));
    }

    private String requireSameVerdicts(String text, @Nullable String hook) throws IOException {
        Path from = folder.resolve("from.save");
        Path to = folder.resolve("to.save");
        Files.writeString(from, text);
        Anonymizer names = Anonymizer.random();
        Files.write(to, names.lines(OpenRules.open(from, null)));
        PolicyFile before = policy(from, hook);
        PolicyFile after = policy(to, hook);
        Random random = new Random(1);
        List<byte[]> addresses = addresses(text, random);
        int decided = 0;
        for (int i = 0; i < PACKETS; i++) {
            int[] packet = packet(addresses, random);
            FlatPolicy.Answer expected = before.flat().judge(packet);
            FlatPolicy.Answer answer = after.flat().judge(replaced(packet, names));
            if (expected == null || answer == null) {
                assertEquals(expected, answer);
                continue;
            }
            decided++;
            assertEquals(expected.outcome(), answer.outcome(), "packet " + i);
            assertEquals(
                    before.rules().indexOf(expected.rule()),
                    after.rules().indexOf(answer.rule()),
                    "packet " + i);
        }
        assertTrue(decided > PACKETS / 4, decided + " packets");
        return Files.readString(to);
    }

    private static PolicyFile policy(Path file, @Nullable String hook) {
        Assumptions assumed = new Assumptions(ConnectionState.NEW, "eth9", "eth9");
        return PolicyFile.read(file, new PolicyOptions(hook, assumed, false));
    }

    private void requireSameRules(String text) throws IOException {
        Path from = folder.resolve("from.rules");
        Path to = folder.resolve("to.rules");
        Files.writeString(from, text.replace("in_port=\"uplink\",", ""));
        Anonymizer names = Anonymizer.random();
        Files.write(to, names.lines(OpenRules.open(from, null)));
        List<Rule> before = RuleFile.read(from, null).rules();
        List<Rule> after = RuleFile.read(to, null).rules();
        assertEquals(before.size(), after.size());
        Random random = new Random(1);
        List<byte[]> addresses = addresses(text, random);
        for (int i = 0; i < PACKETS; i++) {
            int[] packet = packet(addresses, random);
            int[] other = replaced(packet, names);
            for (int r = 0; r < before.size(); r++) {
                assertEquals(
                        before.get(r).match().matches(packet),
                        after.get(r).match().matches(other),
                        before.get(r).text() + " became " + after.get(r).text());
            }
        }
    }

    /** The addresses of a text, and others that share a beginning with them. */
    private static List<byte[]> addresses(String text, Random random) {
        List<byte[]> all = new ArrayList<>();
        List<String> words =
                Pattern.compile("[0-9a-f.:]+")
                        .matcher(text + " 192.0.2.9 2001:db8::7")
                        .results()
                        .map(MatchResult::group)
                        .filter(word -> word.matches("[0-9.]{7,}|[0-9a-f:]*:.*:.*"))
                        .toList();
        for (String word : words) {
            try {
                byte[] address = bytes(word);
                all.add(address);
                for (int i = 0; i < 6; i++) {
                    byte[] near = address.clone();
                    int bit = random.nextInt(8 * near.length);
                    near[bit / 8] ^= (byte) (1 << bit % 8);
                    all.add(near);
                }
            } catch (RuleSyntaxException e) {
                assertFalse(word.matches("[0-9]+[.][0-9]+[.][0-9]+[.][0-9]+"), word);
            }
        }
        return all;
    }

    private static byte[] bytes(String text) throws RuleSyntaxException {
        if (text.indexOf(':') >= 0) {
            return Literals.ipv6(text, 1);
        }
        int address = Literals.ipv4(text, 1);
        return ByteBuffer.allocate(4).putInt(address).array();
    }

    private static int[] packet(List<byte[]> addresses, Random random) {
        int[] words = new int[HeaderWord.COUNT];
        byte[] source = addresses.get(random.nextInt(addresses.size()));
        byte[] destination = addresses.get(random.nextInt(addresses.size()));
        boolean v6 = source.length == 16;
        Field.IP_VERSION.put(words, v6 ? Field.VERSION_6 : Field.VERSION_4);
        words[HeaderWord.ETHER] = (v6 ? 0x86dd : 0x0800) << 16;
        if (v6) {
            FieldBits.orIpv6(words, Field.IPV6_SRC, source);
            FieldBits.orIpv6(
                    words, Field.IPV6_DST, destination.length == 16 ? destination : source);
        } else {
            Field.IPV4_SRC.put(words, number(source));
            Field.IPV4_DST.put(words, number(destination.length == 4 ? destination : source));
        }
        Field.IP_PROTO.put(words, new int[] {1, 6, 17, 58}[random.nextInt(4)]);
        Field.SRC_PORT.put(words, new int[] {0, 8, 53, 1024, 40_000}[random.nextInt(5)]);
        Field.DST_PORT.put(words, new int[] {0, 22, 25, 53, 80, 443, 8000}[random.nextInt(7)]);
        Field.TCP_FLAGS.put(words, random.nextBoolean() ? 2 : 0x10);
        return words;
    }

    private static int number(byte[] address) {
        return ByteBuffer.wrap(address).getInt();
    }

    private static int[] replaced(int[] packet, Anonymizer names) {
        int[] other = packet.clone();
        if (Field.IP_VERSION.extract(packet[HeaderWord.IP]) == Field.VERSION_6) {
            for (Field field : List.of(Field.IPV6_SRC, Field.IPV6_DST)) {
                byte[] address = names.of(FieldBits.ipv6(packet, field));
                for (int w = 0; w < 4; w++) {
                    other[field.word() + w] = 0;
                }
                FieldBits.orIpv6(other, field, address);
            }
        } else {
            for (Field field : List.of(Field.IPV4_SRC, Field.IPV4_DST)) {
                byte[] from = ByteBuffer.allocate(4).putInt(packet[field.word()]).array();
                field.put(other, number(names.of(from)));
            }
        }
        return other;
    }
}
