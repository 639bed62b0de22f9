"""The commonest office words of German, Spanish, French, Portuguese and Italian, by their English word."""

from typing import Final

ROWS: Final = """
create: crear crea erstellen erstelle anlegen créer cree criar cria
create: creare neu neue neuen nuevo nueva nouveau nouvelle novo nuovo
delete: löschen lösche entfernen borrar eliminar supprimer excluir apagar eliminare cancella
send: senden sende schicken verschicken enviar envia envoyer inviare mandar
search: suchen suche buscar busca chercher rechercher procurar cercare cerca
find: finden encontrar trouver trovare
show: zeigen zeige anzeigen mostrar muestra afficher montrer mostrare
list: auflisten liste lista listar lister elencare
read: lesen leer lire ler leggere
open: öffnen abrir ouvrir aprire
close: schließen cerrar fermer fechar chiudere
update: aktualisieren ändern bearbeiten actualizar modificar modifier mettre atualizar aggiornare modificare
add: hinzufügen añadir agregar ajouter adicionar aggiungere
move: verschieben mover déplacer spostare
copy: kopieren copiar copier copiare
upload: hochladen subir téléverser caricare
download: herunterladen descargar télécharger baixar scaricare
share: teilen compartir partager compartilhar condividere
cancel: stornieren absagen abbrechen annuler cancelar annullare
buy: kaufen comprar acheter comprare
pay: bezahlen zahlen pagar payer pagare
start: starten iniciar démarrer avviare comenzar
stop: stoppen anhalten detener arrêter parar fermare
assign: zuweisen asignar assigner atribuir assegnare
reply: antworten responder répondre rispondere
schedule: planen programar planifier agendar pianificare
translate: übersetzen traducir traduire traduzir tradurre
message: nachricht nachrichten mensaje mensajes messaggio messaggi mensagem mensagens
email: correo courriel e-mail
attachment: anhang adjunto pièce anexo allegato
calendar: kalender calendario calendrier calendário
event: termin termine veranstaltung evento eventos événement
meeting: besprechung reunión reunion réunion reunião riunione treffen
file: datei dateien archivo archivos fichier fichiers arquivo ficheiro
folder: ordner carpeta dossier pasta cartella
document: dokument dokumente documento documentos documenti
page: seite página pagina
table: tabelle tabla tableau tabela tabella
row: zeile fila ligne linha riga
task: aufgabe aufgaben tarea tareas tâche tarefa compito attività
project: projekt proyecto projet projeto progetto
issue: problem problema problemas problème
error: fehler erro errore errores erreur
title: titel título titre titolo
name: nombre nom nome
comment: kommentar comentario commentaire comentário commento
note: notiz nota notas
user: benutzer nutzer usuario utilisateur usuário utente
customer: kunde kunden cliente clientes client clienti
contact: kontakt kontakte contacto contactos contato contatto
company: firma unternehmen empresa entreprise azienda
invoice: rechnung rechnungen factura facturas facture fatura fattura
payment: zahlung zahlungen pago pagos paiement pagamento
refund: erstattung rückerstattung reembolso remboursement rimborso
price: preis preise precio prix preço prezzo
money: geld dinero argent dinheiro denaro
order: bestellung bestellungen pedido pedidos commande ordine
product: produkt produkte producto productos produit produto prodotto
discount: rabatt descuento réduction remise desconto sconto
subscription: abonnement suscripción assinatura abbonamento
bank: banco banque banca
account: konto cuenta compte conta
report: bericht informe rapport relatório rapporto
weather: wetter tiempo clima météo meteo
forecast: vorhersage wettervorhersage pronóstico prévision previsão previsione
song: lied canción chanson canção canzone
music: musik música musique musica
phone: telefon handy teléfono téléphone telefone telefono
call: anrufen anruf llamar llamada appeler appel chamar chamada chiamare chiamata
number: nummer número numéro numero
password: passwort contraseña senha
server: servidor serveur
database: datenbank basedatos
domain: dominio domaine
alert: alarm alerta alerte avviso
today: heute hoy aujourd hoje oggi
tomorrow: morgen mañana demain amanhã domani
yesterday: gestern ayer hier ontem ieri
week: woche semana semaine settimana
month: monat mes mois mese
day: tag tage día jour dia giorno
all: alle todos todas tous tutti
team: mannschaft equipo équipe equipe squadra
people: leute gente personas gens pessoas persone
link: verknüpfung enlace lien
image: bild imagen imagem immagine
video: vídeo vidéo
new: neuer neues
"""
