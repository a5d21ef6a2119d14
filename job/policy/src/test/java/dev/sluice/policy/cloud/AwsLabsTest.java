package dev.sluice.policy.cloud;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.AddressedPacket;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Networks of AWS with measured reachability: a packet and its reply pass wherever the network
 * answered. It also stays silent where routes, and not lists, keep packets away: such are counted.
 */
final class AwsLabsTest {
    private static final String INTERNET = "8.8.8.8";

    /** A private address of each public one. */
    private final Map<String, String> inside = new HashMap<>();

    private final Map<String, String> outside = new HashMap<>();

    /** Machines of addresses: those of one reach each other without the network. */
    private final Map<String, String> instances = new HashMap<>();

    private static Path folder() {
        return TestData.inCheckout("job/policy")
                .resolve("src/test/resources/dev/sluice/policy/cloud/aws-labs");
    }

    @ParameterizedTest
    @CsvSource({
        "aws_demo, 216, 0, 39, 0, 50",
        "aws_instance_multiple_interface, 52, 0, 4, 0, 16",
        "aws_multi_account_vpc_peering, 11, 0, 0, 0, 1",
        "aws_multi_account_vpc_peering_tgw, 11, 0, 0, 0, 1",
        "aws_nlb_multi_az, 45, 0, 0, 0, 8",
        "aws_nlb_targets_instance, 21, 3, 0, 0, 23",
        "aws_nlb_targets_instance_nacl_test, 51, 8, 0, 0, 46",
        "aws_nlb_targets_ip, 31, 4, 0, 0, 38",
        "aws_shared_vpc, 52, 0, 0, 0, 60",
        "aws_tgw_asymmetric_non_default_rtb, 12, 0, 0, 0, 0",
        "aws_tgw_multi_az_intra_region, 62, 0, 13, 0, 25",
        "aws_tgw_multi_az_intra_region_nacl_test, 82, 1, 0, 11, 17",
        "aws_tgw_peering, 18, 0, 2, 0, 4",
        "aws_traffic_in_igw_out_ngw, 10, 0, 2, 0, 0",
        "aws_vnd_panos_single_fw, 21, 0, 5, 0, 0",
        "aws_vpc_endpoints, 18, 0, 8, 0, 0",
    })
    void whatAnsweredIsPermitted(
            String lab,
            int answeredPermit,
            int answeredDepends,
            int silentPermit,
            int silentDepends,
            int silentDeny)
            throws IOException {
        Path file = folder().resolve(lab + ".json");
        readAddresses(file);
        PolicyFile first = read(file, ConnectionState.NEW);
        PolicyFile later = read(file, ConnectionState.ESTABLISHED);
        Map<Outcome, Integer> answered = new EnumMap<>(Outcome.class);
        Map<Outcome, Integer> silent = new EnumMap<>(Outcome.class);
        List<String> wrong = new ArrayList<>();
        for (String row : Files.readAllLines(folder().resolve(lab + ".tsv"))) {
            String[] words = row.split("\t");
            String from = words[0];
            String to = words[1];
            boolean fromInside = outside.containsKey(from);
            boolean toInside = outside.containsKey(to);
            boolean pair = fromInside && (toInside || to.equals(INTERNET));
            boolean local = from.equals(to) || fromInside && instance(from).equals(instance(to));
            if (local || !pair && !(from.equals(INTERNET) && inside.containsKey(to))) {
                continue; // other than a packet of these ends
            }
            String back = toInside || to.equals(INTERNET) ? to : inside.getOrDefault(to, to);
            Outcome outcome =
                    worst(
                            judge(first, from, to, words[2], false),
                            judge(later, back, from, words[2], true));
            boolean silence = words[3].equals("filtered");
            (silence ? silent : answered).merge(outcome, 1, Integer::sum);
            if (!silence && outcome == Outcome.DENY) {
                wrong.add(row);
            }
        }
        assertEquals(List.of(), wrong);
        assertEquals(
                List.of(answeredPermit, answeredDepends, silentPermit, silentDepends, silentDeny),
                List.of(
                        answered.getOrDefault(Outcome.PERMIT, 0),
                        answered.getOrDefault(Outcome.DEPENDS, 0),
                        silent.getOrDefault(Outcome.PERMIT, 0),
                        silent.getOrDefault(Outcome.DEPENDS, 0),
                        silent.getOrDefault(Outcome.DENY, 0)));
    }

    private String instance(String address) {
        return instances.getOrDefault(address, address);
    }

    private void readAddresses(Path file) throws IOException {
        try (MappingIterator<JsonNode> documents =
                new ObjectMapper().readerFor(JsonNode.class).readValues(file.toFile())) {
            while (documents.hasNext()) {
                for (JsonNode each : documents.next().path("NetworkInterfaces")) {
                    if (!each.get("SourceDestCheck").asBoolean() && each.get("Groups").isEmpty()) {
                        continue; // a gateway or a load balancer, which answers no probe itself
                    }
                    for (JsonNode address : each.get("PrivateIpAddresses")) {
                        String own = address.get("PrivateIpAddress").asText();
                        String seen = address.path("Association").path("PublicIp").asText();
                        outside.put(own, seen);
                        inside.put(seen, own);
                        String instance = each.path("Attachment").path("InstanceId").asText();
                        instances.put(own, instance.isEmpty() ? own : instance);
                    }
                }
            }
        }
    }

    private static PolicyFile read(Path file, ConnectionState state) {
        Assumptions assumed = new Assumptions(state, null, null);
        return PolicyFile.read(file, new PolicyOptions(null, assumed, false));
    }

    private static Outcome judge(
            PolicyFile policy, String from, String to, String probe, boolean reply) {
        boolean ping = probe.equals("ping");
        int port = ping ? 0 : Integer.parseInt(probe.substring(probe.indexOf(' ') + 1));
        int own = ping ? 8 : 41_000; // of ICMP the type, whose reply is 0
        int[] header =
                reply
                        ? AddressedPacket.header(from, ping ? 1 : 6, to, port, ping ? 0 : own)
                        : AddressedPacket.header(from, ping ? 1 : 6, to, own, port);
        return Objects.requireNonNull(policy.flat().judge(header)).outcome();
    }

    private static Outcome worst(Outcome one, Outcome other) {
        if (one == Outcome.DENY || other == Outcome.DENY) {
            return Outcome.DENY;
        }
        return one == Outcome.DEPENDS ? one : other;
    }
}
