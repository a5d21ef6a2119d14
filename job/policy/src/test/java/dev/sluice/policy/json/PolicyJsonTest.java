package dev.sluice.policy.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Counters;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Period;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.policy.testing.RandomPolicies;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies as JSON, there and back. */
class PolicyJsonTest {
    private static final int POLICIES = 300;

    @TempDir Path folder;

    private List<Policy> back(List<Policy> policies) throws IOException {
        Path file = Files.write(folder.resolve("policy.json"), PolicyJsonWriter.lines(policies));
        return PolicyFile.read(file, PolicyOptions.NONE).policies();
    }

    @Test
    void randomPoliciesAreEqualThereAndBack() throws IOException {
        RandomPolicies random = new RandomPolicies(156);
        for (int i = 0; i < POLICIES; i++) {
            List<Policy> policies = List.of(random.policy(2));
            assertEquals(policies, back(policies));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "test-data/firewall/server.save",
                "test-data/firewall/server6.save",
                "test-data/iptables/host.save",
                "test-data/nft/host.nft",
                "test-data/nft/list.json",
                "test-data/kubernetes/cluster.yaml",
                "test-data/kubernetes/office.yaml"
            })
    void policiesOfEveryFormatAreEqualThereAndBack(String name) throws IOException {
        Path file = TestData.inCheckout(name);
        List<Policy> policies = PolicyFile.read(file, PolicyOptions.NONE).policies();
        assertEquals(policies.stream().map(PolicyJsonTest::untranslated).toList(), back(policies));
    }

    /** The policy without its translations, which are not written. */
    private static Policy untranslated(Policy policy) {
        return new Policy(policy.name(), policy.judges(), policy.stages(), policy.untracked());
    }

    /** A rule with every kind of condition, and values at both ends of every field. */
    private static Policy everything() {
        ValueSet some = ValueSet.of(0).or(ValueSet.of(3, 9));
        List<Condition> kinds =
                List.of(
                        Condition.ALWAYS,
                        Condition.NEVER,
                        new Condition.Not(new Condition.Not(Condition.is(Field.TTL, 3))),
                        new Condition.Bits(Field.IPV4_SRC, 0x0a000001, 0xff0000ff),
                        new Condition.InState(Set.of(ConnectionState.values())),
                        new Condition.Tracked(
                                Condition.is(Field.CONNECTION_ASSURED, 1), "ct status assured"),
                        new Condition.Interface(true, "eth+"),
                        new Condition.Interface(false, "br-\u00e4\u007f\"\\"),
                        new Condition.OfHost(
                                Field.IPV4_DST, Condition.AddressType.BROADCAST, "addrtype"),
                        new Condition.Within(
                                new Period(
                                        0,
                                        Period.LAST,
                                        3600,
                                        Period.DAY_END,
                                        0x62,
                                        1 << 31,
                                        true,
                                        -3600),
                                "time"),
                        new Condition.Unknown("limit \ud83d\ude00\t\u0001"));
        Set<Class<?>> classes = new HashSet<>(List.of(Condition.In.class, Condition.Any.class));
        kinds.forEach(kind -> classes.add(kind.getClass()));
        assertEquals(
                new HashSet<Object>(Arrays.asList(Condition.class.getPermittedSubclasses())),
                classes);
        List<Condition> fields =
                Arrays.stream(Field.values())
                        .map(
                                field ->
                                        (Condition)
                                                new Condition.In(
                                                        field,
                                                        field.bits() < 4
                                                                ? ValueSet.of(0)
                                                                : some.complement(field.bits())
                                                                        .or(ValueSet.of(0))))
                        .toList();
        Origin origin =
                new Origin("a.save", 7, "INPUT", "it's", "-A INPUT", new Counters(1L << 40, 9));
        PolicyRule all =
                new PolicyRule(
                        origin,
                        new Condition.All(
                                List.of(new Condition.All(kinds), new Condition.Any(fields))),
                        new Effect.Jump("c"),
                        "c");
        Origin plain = new Origin("a.save", 0, "INPUT", "", "", null);
        PolicyRule end =
                new PolicyRule(plain, Condition.ALWAYS, new Effect.Decide(Outcome.DENY), "DROP");
        Vantage vantage =
                new Vantage(
                        true,
                        false,
                        true,
                        Condition.is(Field.IP_VERSION, 1),
                        Vantage.States.EXEMPTED,
                        null,
                        new MarkState(1, 1, 0x80000000, 2));
        Stage stage =
                new Stage(
                        "filter INPUT",
                        "INPUT",
                        Map.of(
                                "INPUT",
                                List.of(
                                        all,
                                        new PolicyRule(
                                                plain, Condition.NEVER, new Effect.Goto("c"), ""),
                                        new PolicyRule(
                                                plain,
                                                Condition.ALWAYS,
                                                new Effect.Mark(0xff0000ff, 1, 0x100),
                                                "MARK"),
                                        new PolicyRule(
                                                plain,
                                                Condition.ALWAYS,
                                                new Effect.Continue(),
                                                "LOG")),
                                "c",
                                List.of(
                                        new PolicyRule(
                                                plain, Condition.ALWAYS, new Effect.Return(), ""))),
                        end,
                        vantage,
                        Condition.is(Field.IP_VERSION, 2));
        Stage behind = stage.behind(vantage.marks(), List.of(stage));
        assertEquals(List.of(stage), behind.before());
        return new Policy("INPUT", Condition.is(Field.IP_VERSION, 2), List.of(behind), stage);
    }

    @Test
    void everyConditionAndFieldIsEqualThereAndBack() throws Exception {
        Path file =
                Files.write(
                        folder.resolve("policy.json"),
                        PolicyJsonWriter.lines(List.of(everything())));
        List<Policy> back =
                List.copyOf(
                        new PolicyJsonReader(null)
                                .policies(
                                        JsonNodes.of("policy.json", Files.readString(file), "")
                                                .get(0))
                                .values());
        assertEquals(List.of(everything()), back);
    }

    @Test
    void thePageListsEveryMember() throws Exception {
        Set<String> written = new TreeSet<>();
        for (String line : PolicyJsonWriter.lines(List.of(everything()))) {
            Matcher member = Pattern.compile("\"([a-z_]+)\": ").matcher(line);
            while (member.find()) {
                written.add(member.group(1));
            }
        }
        written.remove("c"); // a chain
        Set<String> told = new TreeSet<>();
        for (String line : Files.readAllLines(TestData.inCheckout("docs/json-policy.md"))) {
            Matcher member = Pattern.compile("\\| `([a-z_]+)` \\|.*").matcher(line);
            if (member.matches()) {
                told.add(member.group(1));
            }
        }
        assertEquals(written, told);
    }

    private static String document(String rule) {
        return """
                {"sluice_policy": 1, "policies": [
                {"name": "p", "stages": [
                {"name": "s", "base": "c", "sees": {"in_interface": true, "out_interface": true, "states": "tracked"},
                 "end": {"outcome": "deny"}, "chains": {"c": [
                %s
                ]}}]}]}
                """
                .formatted(rule);
    }

    private SluiceException refusal(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("policy.json"), text);
        return assertThrows(SluiceException.class, () -> PolicyFile.read(file, PolicyOptions.NONE));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"outcome\": \"allow\"} | :5:13: 'allow': is no outcome; write permit, deny",
                "{\"outcome\": \"permit\", \"condition\": {\"field\": \"port\", \"in\": [80]}} | is no field of packets; docs/fields.md",
                "{\"outcome\": \"permit\", \"condition\": {\"field\": \"tp_dst\", \"in\": [\"80-22\"]}} | is an empty range",
                "{\"outcome\": \"permit\", \"condition\": {\"field\": \"tp_dst\", \"in\": [65536]}} | is beyond 65535",
                "{\"outcome\": \"permit\", \"condition\": {\"field\": \"nw_src\", \"in\": [\"10.0.0.1/8\"]}} | has bits behind its prefix",
                "{\"outcome\": \"permit\", \"conditon\": {}} | is a field of a rule that Sluice does not read",
                "{\"outcome\": \"permit\", \"condition\": {}} | is no condition; write one of",
                "{\"outcome\": \"jump\", \"to\": \"x\"} | chain x is missing",
                "{\"outcome\": \"jump\", \"to\": \"c\"} | leads back to itself",
                "{\"outcome\": \"permit\" | is no whole JSON",
            })
    void whatIsNotUnderstoodIsRefusedWithItsPlace(String rule, String words) throws IOException {
        String message = String.valueOf(refusal(document(rule)).getMessage());
        assertTrue(message.contains(words), message);
    }

    @Test
    void skippedRulesDepend() throws IOException {
        Path file =
                Files.writeString(
                        folder.resolve("policy.json"),
                        document("{\"outcome\": \"allow\", \"text\": \"odd\"}"));
        PolicyFile read = PolicyFile.read(file, new PolicyOptions(null, Assumptions.NONE, true));
        assertEquals(1, read.warnings().size(), () -> "" + read.warnings());
        int[] packet = new RandomPolicies(1).header();
        assertEquals(Outcome.DEPENDS, read.flat().judge(packet).outcome());
    }

    @Test
    void aValueIsTheWholeFieldAtMost() {
        BigInteger most = BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE);
        assertEquals(
                List.of("::/0"),
                JsonValues.words(Field.IPV6_DST, ValueSet.of(BigInteger.ZERO, most)));
    }
}
