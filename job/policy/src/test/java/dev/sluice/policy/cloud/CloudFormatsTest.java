package dev.sluice.policy.cloud;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.AddressedPacket;
import dev.sluice.policy.testing.UnderstoodRules;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CloudFormatsTest {
    private static final PolicyOptions FIRST = options(false);

    @TempDir Path folder;

    private static PolicyOptions options(boolean skip) {
        return new PolicyOptions(null, new Assumptions(ConnectionState.NEW, null, null), skip);
    }

    private static Path sample(String name) {
        return TestData.inCheckout("test-data/cloud").resolve(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"aws", "azure.json", "gcp.json"})
    void eachPolicyIsUnderstoodAsTheGoldenFileSays(String name) throws IOException {
        String understood = UnderstoodRules.of(PolicyFile.read(sample(name), FIRST));
        Path golden = sample(name.replace(".json", "") + ".understood");
        assertEquals(Files.readString(golden), understood);
    }

    @ParameterizedTest
    @CsvSource({
        "aws, 192.0.2.10, 6, 198.51.100.20, 80, PERMIT, 25",
        "aws, 192.0.2.10, 6, 198.51.100.20, 23, DENY, 11",
        "aws, 192.0.2.11, 6, 198.51.100.20, 80, DENY, 15", // not of the group
        "aws, 192.0.2.11, 17, 198.51.100.20, 53, PERMIT, 32",
        "aws, 198.51.100.20, 6, 192.0.2.10, 80, DENY, 15",
        "aws, 198.51.100.20, 17, 169.254.169.253, 53, PERMIT, 0",
        "azure.json, 192.0.2.10, 6, 198.51.100.20, 8001, PERMIT, 6",
        "azure.json, 192.0.2.10, 6, 198.51.100.20, 23, DENY, 30",
        "azure.json, 192.0.2.10, 50, 198.51.100.20, 0, DEPENDS, 30",
        "azure.json, 198.51.100.20, 6, 203.0.113.1, 443, DEPENDS, 19",
        "azure.json, 203.0.113.1, 6, 198.51.100.20, 80, DENY, 2",
        "gcp.json, 192.0.2.10, 6, 198.51.100.20, 80, PERMIT, 10",
        "gcp.json, 192.0.2.10, 6, 198.51.100.20, 23, DENY, 52",
        "gcp.json, 192.0.2.10, 17, 198.51.100.20, 53, DENY, 23",
        "gcp.json, 198.51.100.20, 6, 192.0.2.10, 80, DENY, 0",
    })
    void packetsAreDecidedByTheirLine(
            String name,
            String from,
            int protocol,
            String to,
            int port,
            Outcome outcome,
            int line) {
        Answer answer =
                Objects.requireNonNull(
                        PolicyFile.read(sample(name), FIRST)
                                .flat()
                                .judge(AddressedPacket.header(from, protocol, to, 40_000, port)));
        assertEquals(outcome + " " + line, answer.outcome() + " " + answer.rule().origin().line());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'SecurityGroups': [{'GroupId': 'sg-1', 'IpPermissions': [{'IpProtocol': 'tpc'}]}]} | 1:74: 'tpc': is no protocol",
                "{'SecurityGroups': [{'GroupId': 'sg-1', 'IpPermissions': [{'IpProtocol': 'tcp', 'FromPort': 9, 'ToPort': 8}]}]} | '9-8': is no range of ports; swap them",
                "{'SecurityGroups': [{'GroupId': 'sg-1', 'IpPermissions': [{'IpProtocol': '-1', 'IpRanges': [{'CidrIp': '10.0.0.0/33'}]}]}]} | '33': is not a prefix length",
                "{'SecurityGroups': [{'GroupId': 'sg-1', 'IpPermissions': [{'IpProtocol': '-1', 'Limit': 1}]}]} | 'Limit': is a field of a permission that Sluice does not read",
                "{'SecurityGroups': [{'GroupId': 'sg-1'}, {'GroupId': 'sg-1'}]} | 'sg-1': is there twice",
                "{'SecurityGroups': [{'GroupName': 'a'}]} | has no field GroupId",
                "{'SecurityGroups': [ | is no whole JSON",
                "{'NetworkAcls': [{'NetworkAclId': 'a', 'Entries': [{'RuleNumber': 1, 'Egress': true, 'RuleAction': 'drop', 'Protocol': '6', 'CidrBlock': '0.0.0.0/0'}]}]} | 'drop': is no action; write allow or deny",
                "{'Entries': [{'Cidr': '10.0.0.0/8'}]} | name the file by it, as in pl-0123abcd.json",
                "{'format_version': '1.0', 'values': {'root_module': {'resources': [{'type': 'aws_security_group', 'address': 'a.b', 'values': {'ingress': [{'protocol': 'tcp', 'from_port': 1, 'to_port': 2}]}}]}}} | names no other end that is known",
                "[{'name': 'a', 'securityRules': [{'name': 'r', 'priority': 1, 'direction': 'In', 'access': 'Allow', 'protocol': '*'}]}] | 'In': is neither Outbound nor Inbound",
                "[{'name': 'a', 'securityRules': [{'name': 'r', 'priority': 1, 'direction': 'Inbound', 'access': 'Allow', 'protocol': '*', 'destinationPortRange': '80-79'}]}] | '80-79': is no port",
                "[{'kind': 'compute#firewall', 'name': 'a', 'direction': 'UP', 'allowed': []}] | 'UP': is no direction",
                "[{'kind': 'compute#firewall', 'name': 'a', 'allowed': [{'IPProtocol': 'icmp', 'ports': ['1']}]}] | 'icmp': has no ports",
                "[{'kind': 'compute#firewall', 'name': 'a', 'sourceLabels': ['x'], 'allowed': []}] | 'sourceLabels': is a field of a firewall rule",
            })
    void refusalNamesLineAndWords(String text, String expected) throws IOException {
        Path file = Files.writeString(folder.resolve("cloud.json"), text.replace('\'', '"'));
        SluiceException refused =
                assertThrows(SluiceException.class, () -> PolicyFile.read(file, FIRST));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("cloud.json:1:") && message.contains(expected), message);
    }

    @Test
    void aSkippedRuleIsUnknown() throws IOException {
        Path file = folder.resolve("cloud.json");
        Files.writeString(
                file,
                """
                {"SecurityGroups": [{"GroupId": "sg-1", "IpPermissions": [
                 {"IpProtocol": "tpc", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]}]}
                {"NetworkInterfaces": [{"NetworkInterfaceId": "eni-1", "PrivateIpAddress": "10.0.0.1",
                 "Groups": [{"GroupId": "sg-1"}]}]}
                """);
        int[] header = AddressedPacket.header("192.0.2.1", 6, "10.0.0.1", 40_000, 80);
        Answer answer = PolicyFile.read(file, options(true)).flat().judge(header);
        assertEquals(Outcome.DEPENDS, Objects.requireNonNull(answer).outcome());
    }

    @Test
    void theLastRulesOfAFirewallPolicyAreRead() throws IOException {
        Path file = folder.resolve("cloud.json");
        Files.writeString(
                file,
                """
                {"name": "p", "associations": [], "rules": [
                 {"priority": 2147483647, "direction": "INGRESS", "action": "allow", "match": {"srcIpRanges": ["0.0.0.0/0"], "layer4Configs": [{"ipProtocol": "all"}]}},
                 {"priority": 2147483646, "direction": "INGRESS", "action": "deny", "match": {"srcIpRanges": ["0.0.0.0/0"], "layer4Configs": [{"ipProtocol": "all"}]}}]}
                [{"name": "vm", "networkInterfaces": [{"network": "n", "networkIP": "10.0.0.1"}], "serviceAccounts": []}]
                """);
        int[] header = AddressedPacket.header("192.0.2.1", 6, "10.0.0.1", 40_000, 80);
        Answer answer = Objects.requireNonNull(PolicyFile.read(file, FIRST).flat().judge(header));
        assertEquals("DENY 3", answer.outcome() + " " + answer.rule().origin().line());
    }

    @Test
    void stateOfTerraformIsJudgedAsWhatItMakes() throws IOException {
        Path file = folder.resolve("state.json");
        Files.writeString(
                file,
                """
                {"format_version": "1.0", "terraform_version": "1.9.0", "values": {"root_module": {
                 "resources": [
                 {"address": "aws_subnet.a", "type": "aws_subnet", "values": {"id": "subnet-1", "vpc_id": "vpc-1", "cidr_block": "10.0.0.0/24"}},
                 {"address": "aws_subnet.b", "type": "aws_subnet", "values": {"id": "subnet-2", "vpc_id": "vpc-1", "cidr_block": "10.0.1.0/24"}},
                 {"address": "aws_security_group.web", "type": "aws_security_group", "values": {"id": "sg-1", "egress": [
                  {"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": ["0.0.0.0/0"]}], "ingress": []}},
                 {"address": "aws_vpc_security_group_ingress_rule.ssh", "type": "aws_vpc_security_group_ingress_rule", "values": {
                  "security_group_id": "sg-1", "referenced_security_group_id": "sg-1", "ip_protocol": "tcp", "from_port": 22, "to_port": 22}}],
                 "child_modules": [{"resources": [
                 {"address": "module.x.aws_instance.a", "type": "aws_instance", "values": {"id": "i-1", "subnet_id": "subnet-1", "private_ip": "10.0.0.4", "vpc_security_group_ids": ["sg-1"]}},
                 {"address": "module.x.aws_instance.b", "type": "aws_instance", "values": {"id": "i-2", "subnet_id": "subnet-2", "private_ip": "10.0.1.4", "vpc_security_group_ids": ["sg-1"]}},
                 {"address": "module.x.aws_network_acl.b", "type": "aws_network_acl", "values": {"id": "acl-1", "subnet_ids": ["subnet-2"], "ingress": [
                  {"rule_no": 100, "action": "allow", "protocol": "6", "from_port": 22, "to_port": 22, "cidr_block": "10.0.0.0/24"}], "egress": []}},
                 {"address": "module.x.aws_network_acl.a", "type": "aws_network_acl", "values": {"id": "acl-2", "subnet_ids": ["subnet-1"]}},
                 {"address": "module.x.aws_network_acl_rule.a", "type": "aws_network_acl_rule", "values": {"network_acl_id": "acl-2", "rule_number": 1, "egress": true,
                  "rule_action": "allow", "protocol": "-1", "cidr_block": "0.0.0.0/0"}}]}]}}}
                """);
        PolicyFile policy = PolicyFile.read(file, FIRST);
        for (int port : new int[] {22, 23}) {
            int[] header = AddressedPacket.header("10.0.0.4", 6, "10.0.1.4", 40_000, port);
            assertEquals(
                    port == 22 ? Outcome.PERMIT : Outcome.DENY,
                    Objects.requireNonNull(policy.flat().judge(header)).outcome());
        }
        int[] back = AddressedPacket.header("10.0.1.4", 6, "10.0.0.4", 40_000, 22);
        assertEquals(Outcome.DENY, Objects.requireNonNull(policy.flat().judge(back)).outcome());
    }
}
