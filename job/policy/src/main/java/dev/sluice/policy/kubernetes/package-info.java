/**
 * Policies of Kubernetes clusters, from the objects that {@code kubectl get -o yaml} prints.
 *
 * <pre>
 * text      = document { "---" document } ;             YAML or JSON
 * document  = object | list ;
 * list      = kind: List, items: { object } | kind: XList, items: { X } ;
 * object    = Pod | Namespace | Node | Service          the cluster
 *           | NetworkPolicy                             what selects its pods
 *           | an object of a group without policies ;   counted
 * </pre>
 *
 * <p>Selectors are evaluated while the files are read: a rule's condition holds the addresses of
 * the pods that it selects. A policy is two stages, egress by source address and ingress by
 * destination address. In each a policy is a chain, which the base chain calls for the pods that
 * the policy selects:
 *
 * <pre>
 * base    exemptions                 replies, a pod to itself, a pod and its node
 *         selects A: call chain A    a rule of A that allows decides
 *         selects B: call chain B
 *         selects A: deny            a selected pod accepts nothing else
 *         selects B: deny
 * end     allow                      no policy selects the pod
 * </pre>
 *
 * <p>So a set of policies without order is a first-match list: all that allow stand before all that
 * deny. The condition of the selected pods and those of the rules are never multiplied with each
 * other unless the result is small: memory grows with the pods of each selector, not with pairs.
 */
@NullMarked
package dev.sluice.policy.kubernetes;

import org.jspecify.annotations.NullMarked;
